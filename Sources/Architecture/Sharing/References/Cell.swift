internal import Glibc
internal import IssueReporting
internal import Synchronization

/// A shared reference: a value, its observers, and the key that persists it.
///
/// `state` guards all of it. Operations of changes, callbacks, keys and observers run outside that lock, so that they may
/// use the reference. Their notifications are in `State.queue`, which one thread at a time empties
/// (`Cell+Delivery.swift`), so that all receive changes in order.
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

    /// The number of saves that the key has not finished.
    var unsaved = 0
    /// The number of changes that the values of a `ChangeKey` may not contain yet.
    var queuedChanges = 0
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

  /// The notifications about one change, or a request to save.
  struct Delivery {
    let value: Value
    /// The value before the change, if the key saves changes.
    var base: Value?
    /// The subscribers to notify: later ones begin with this value or a newer one.
    var subscribers = 0..<0
    /// The reason to save; nil if there is none.
    var save: SaveContext?
    let place: IssueLocation
    /// Receives the result of a request.
    var completion: (@Sendable (Result<Void, any Error>) -> Void)?
  }

  let state: Guarded<State>
  let observation = ObservationPoint()
  let backing: Backing<Value>?
  let initialValue: Guarded<Value>
  /// The location where the reference was created, for issues without a location of their own.
  let place: IssueLocation

  /// Held during a change, so that changes are made one at a time. `state` may be locked inside it.
  private let changes = Guarded(())
  /// The thread that runs a change; 0 if there is none.
  private let changing = Atomic<UInt>(0)
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
  ///
  /// - Parameter isLoaded: True if the caller has loaded the value or is about to.
  func start(isLoaded: Bool) {
    guard let backing else { return }
    isStarted.withLock { isStarted in
      guard !isStarted else { return }
      isStarted = true
      let context = isLoaded ? LoadContext.userInitiated : .initialValue(initialValue.withLock { $0 })
      if !isLoaded {
        load(context) { [place] in
          if case .failure(let error) = $0 { reportFailure(error, at: place) }
        }
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

  /// During a change, also inside its operation, the value before it: `$todos.withLock { $0.remove(id: todo.id) }`.
  func readCurrent() -> Value { state.withLock { $0.value } }

  private var isChangedByThisThread: Bool { changing.load(ordering: .relaxed) == pthread_self() }

  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R {
    if let tracker = SharedChangeTracker.asserting { return try tracker.withSnapshot(of: self, body) }
    if isChangedByThisThread { return try withLockInside(at: place, body) }
    reloadIfOutdated()
    let trackers = SharedChangeTracker.recording
    var others: [SharedChangeTracker] = []
    defer {
      withExtendedLifetime(others) {}
      observation.valueChanged()
      deliver()
    }
    return try changes.withLock { _ in
      var value = state.withLock { state in
        for tracker in trackers where tracker.record(self, old: state.value) {
          others += state.liveTrackers()
          state.trackers.append(WeakTracker(tracker))
        }
        return state.value
      }
      let base = backing?.combinesChanges == true ? value : nil
      changing.store(pthread_self(), ordering: .relaxed)
      defer {
        changing.store(0, ordering: .relaxed)
        state.withLock { state in
          swap(&state.value, &value)
          state.version += 1
          enqueue(&state, from: base, saving: backing?.save != nil, at: place)
        }
      }
      return try body(&value)
    }
  }

  /// Takes a value of the source between two local changes, or inside one if its operation causes this.
  func betweenChanges<R>(_ body: () -> R) -> R {
    isChangedByThisThread ? body() : changes.withLock { _ in body() }
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

/// Reports an error of a key. In a test it is only `loadError` or `saveError`, so that a test can expect it.
func reportFailure(_ error: any Error, at place: IssueLocation) {
  guard !isTesting else { return }
  reportIssue(error, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}

func reportIssue(_ message: String, at place: IssueLocation) {
  reportIssue(message, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}
