internal import Glibc
internal import IssueReporting
internal import Synchronization

/// A shared reference: a value, its observers, and the key that persists it.
///
/// One lock guards all of it. Callbacks, keys and observers run outside that lock. Their notifications are in
/// `State.queue`, which one thread at a time empties (`Cell+Delivery.swift`), so that all receive changes in order.
final class Cell<Value>: Location {
  struct State {
    var value: Value
    /// The number of local changes, without those from the key.
    var version = 0
    var loads = 0
    /// True if the source has announced a value.
    var isSourceLoading = false
    var loadError: (any Error)?
    var saveError: (any Error)?

    var subscribers: [Int: @Sendable (Value) -> Void] = [:]
    var nextSubscriber = 0
    var queue: [Delivery] = []
    var isDelivering = false

    /// The number of changes that the key has not finished saving.
    var unsaved = 0
    /// The source changed while local changes were being saved.
    var needsReload = false
    var subscription: SharedSubscription?

    var trackers: [WeakTracker] = []

    /// Returns the trackers that still exist, and discards the others.
    ///
    /// They must be released outside the lock, because a tracker's deinitializer reads the values of references.
    mutating func liveTrackers() -> [SharedChangeTracker] {
      let live = trackers.compactMap(\.tracker)
      trackers = live.map(WeakTracker.init)
      return live
    }
  }

  /// The notifications about one change.
  struct Delivery {
    let value: Value
    /// The subscribers to notify: later ones begin with this value or a newer one.
    let subscribers: Range<Int>
    let save: Bool
    let place: IssueLocation
  }

  let state: Guarded<State>
  let observation = ObservationPoint()
  let backing: Backing<Value>?
  let initialValue: Guarded<Value>
  /// The location where the reference was created, for issues without a location of their own.
  let place: IssueLocation

  /// The thread that runs a change; 0 if there is none.
  private let changing = Atomic<UInt>(0)
  /// The value before that change, for reads by its operation. Only that thread accesses it.
  private let unchanged = Guarded<Value?>(nil)
  private let isStarted = Mutex(false)
  private let ended: (@Sendable () -> Void)?

  init(
    _ value: Value, backing: Backing<Value>? = nil, at place: IssueLocation,
    ended: (@Sendable () -> Void)? = nil
  ) {
    state = Guarded(State(value: value))
    initialValue = Guarded(value)
    self.backing = backing
    self.place = place
    self.ended = ended
  }

  deinit {
    state.withLock { $0.subscription }?.cancel()
    ended?()
  }

  /// Loads the value and subscribes to its source. Concurrent callers wait for the first one.
  ///
  /// The key's code runs under a lock here: a key that reads its own value while loading it traps.
  func start() {
    guard let backing else { return }
    isStarted.withLock { isStarted in
      guard !isStarted else { return }
      isStarted = true
      let context = LoadContext.initialValue(initialValue.withLock { $0 })
      load(context) { [place] in
        if case .failure(let error) = $0 { reportIssue(error, at: place) }
      }
      let subscription = backing.subscribe(context, subscriber())
      state.withLock { $0.subscription = subscription }
    }
  }

  func read() -> Value {
    observation.accessValue()
    if let tracker = SharedChangeTracker.asserting, let snapshot = tracker.snapshot(of: self) { return snapshot }
    return readCurrent()
  }

  func readCurrent() -> Value {
    // Without this, the operation of a change would deadlock: `$todos.withLock { $0.remove(id: state.todo.id) }`.
    if isChangedByThisThread, let unchanged = unchanged.withLock({ $0 }) { return unchanged }
    return state.withLock { $0.value }
  }

  private var isChangedByThisThread: Bool { changing.load(ordering: .relaxed) == pthread_self() }

  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R {
    if let tracker = SharedChangeTracker.asserting { return try tracker.withSnapshot(of: self, body) }
    if isChangedByThisThread { return try withLockInside(at: place, body) }
    let trackers = SharedChangeTracker.recording
    var others: [SharedChangeTracker] = []
    defer {
      withExtendedLifetime(others) {}
      observation.valueChanged()
      deliver()
    }
    return try state.withLock { state in
      for tracker in trackers where tracker.record(self, old: state.value) {
        others += state.liveTrackers()
        state.trackers.append(WeakTracker(tracker))
      }
      unchanged.withLock { $0 = state.value }
      changing.store(pthread_self(), ordering: .relaxed)
      defer {
        changing.store(0, ordering: .relaxed)
        unchanged.withLock { $0 = nil }
        state.version += 1
        enqueue(&state, saving: backing?.save != nil, at: place)
      }
      return try body(&state.value)
    }
  }

  /// Reports a change inside the operation of another change of this reference. The outer change overwrites it.
  private func withLockInside<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R {
    reportIssue(
      "A shared value was changed inside a change of the same value, which overwrites it. Use the argument of the outer "
        + "‘withLock’ instead.", at: place)
    var value = readCurrent()
    return try body(&value)
  }
}

func reportIssue(_ error: any Error, at place: IssueLocation) {
  reportIssue(error, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}

func reportIssue(_ message: String, at place: IssueLocation) {
  reportIssue(message, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}
