public import Dependencies
internal import IssueReporting
internal import Synchronization

/// Records what an operation changes in shared references, so that a test can demand that every change be stated.
///
/// ```swift
/// let tracker = SharedChangeTracker()
/// tracker.track { $count.withLock { $0 += 1 } }
/// tracker.assert { $count.withLock { $0 = 1 } }
/// ```
///
/// A test store runs its reducer within ``track(_:)-(()->R)``, and its assertions within ``assert(_:)``. In the latter
/// a reference that changed reads as it was before, `withLock` changes only that snapshot, and `==` compares the
/// snapshot on the left with the value on the right: state before and after, which hold the same reference, are equal
/// exactly if the test stated the change.
public final class SharedChangeTracker: Sendable {
  @TaskLocal static var assertingTracker: SharedChangeTracker?
  /// Those of ``trackHere(_:)``.
  @TaskLocal private static var trackersHere: [SharedChangeTracker] = []
  /// How many there are: without any, which is always so in production, reads and changes do not look further.
  private static let count = Atomic<Int>(0)

  private let records = Guarded<[ObjectIdentifier: any ChangeRecording]>([:])
  private let reportsUnassertedChanges: Bool
  private let place: IssueLocation

  /// Creates a tracker.
  ///
  /// - Parameter reportUnassertedChanges: Whether changes that are left when the tracker goes away are issues.
  public init(
    reportUnassertedChanges: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    reportsUnassertedChanges = reportUnassertedChanges
    place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    Self.count.add(1, ordering: .relaxed)
  }

  deinit {
    Self.count.subtract(1, ordering: .relaxed)
    if reportsUnassertedChanges { reportChanges() }
  }

  /// Runs an operation and records its changes, with those of the tasks that it starts.
  public func track<R>(_ operation: () throws -> R) rethrows -> R {
    try withDependencies {
      $0.sharedChangeTrackers.append(self)
    } operation: {
      try operation()
    }
  }

  /// Runs an asynchronous operation and records its changes, with those of the tasks that it starts.
  public func track<R>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R
  ) async rethrows -> R {
    try await withDependencies {
      $0.sharedChangeTrackers.append(self)
    } operation: {
      try await operation()
    }
  }

  /// Runs an operation and records its changes, but not those of effects that it makes: they do not take the tracker
  /// along, as they do with ``track(_:)-(()->R)``.
  package func trackHere<R>(_ operation: () throws -> R) rethrows -> R {
    try Self.$trackersHere.withValue(Self.trackersHere + [self]) { try operation() }
  }

  /// Runs an operation that sees and changes snapshots: the values from before the recorded changes.
  ///
  /// Afterwards, references whose snapshot equals their value count as unchanged.
  public func assert<R>(_ operation: () throws -> R) rethrows -> R {
    defer { forgetStatedChanges() }
    return try Self.$assertingTracker.withValue(self) { try operation() }
  }

  /// Whether a recorded change is left that no assertion stated.
  public var hasChanges: Bool { !changes.isEmpty }

  /// The changes that no assertion stated. One that was taken back is none.
  public var changes: [SharedChange] {
    records.withLock { Array($0.values) }.compactMap(\.change)
  }

  /// Forgets all changes, stated or not.
  public func resetChanges() {
    let forgotten = records.withLock { records in
      defer { records = [:] }
      return records
    }
    _ = forgotten  // References may end here, outside of the lock.
  }

  /// Reports each change that no assertion stated.
  public func reportChanges() {
    for change in changes {
      reportIssue(
        """
        Tracked unasserted changes to 'Shared<\(change.type)>(value: \(String(reflecting: change.new)))': \
        \(String(reflecting: change.old)) → \(String(reflecting: change.new))
        """, at: place)
    }
  }

  private func forgetStatedChanges() {
    let all = records.withLock { $0 }
    let stated = all.filter { $0.value.change == nil }
    records.withLock { records in for id in stated.keys { records[id] = nil } }
  }
}

/// What a tracker recorded of one reference.
public struct SharedChange {
  /// The reference.
  public let id: ObjectIdentifier
  /// The type of its value.
  public let type: Any.Type
  /// The value before the first change, or the last that an assertion stated.
  public let old: Any
  /// The value now.
  public let new: Any
}

extension DependencyValues {
  /// The trackers that record the changes of this task. Carry it along where effects run outside of the task.
  public var sharedChangeTrackers: [SharedChangeTracker] {
    get { self[SharedChangeTrackersKey.self] }
    set { self[SharedChangeTrackersKey.self] = newValue }
  }
}

private enum SharedChangeTrackersKey: DependencyKey {
  typealias Value = [SharedChangeTracker]
  static let liveValue: Value = []
  static let testValue: Value = []
}

// MARK: - What a cell asks

extension SharedChangeTracker {
  /// The tracker whose assertion runs in this task.
  static var asserting: SharedChangeTracker? {
    count.load(ordering: .relaxed) == 0 ? nil : assertingTracker
  }

  /// The trackers that record the changes of this task.
  static var recording: [SharedChangeTracker] {
    guard count.load(ordering: .relaxed) != 0 else { return [] }
    @Dependency(\.sharedChangeTrackers) var trackers
    return trackers + trackersHere
  }

  /// Records the value before a change, unless an earlier change has been recorded; returns whether it did.
  func record<Value>(_ cell: Cell<Value>, old: Value) -> Bool {
    records.withLock { records in
      guard records[ObjectIdentifier(cell)] == nil else { return false }
      records[ObjectIdentifier(cell)] = ChangeRecord(cell: cell, snapshot: old)
      return true
    }
  }

  func snapshot<Value>(of cell: Cell<Value>) -> Value? {
    records.withLock { ($0[ObjectIdentifier(cell)] as? ChangeRecord<Value>)?.snapshot }
  }

  /// Changes the snapshot of a reference, or of one that nobody changed yet, from its value.
  ///
  /// The snapshot is out of the lock meanwhile, so that the operation may read other references.
  func withSnapshot<Value, R>(of cell: Cell<Value>, _ body: (inout Value) throws -> R) rethrows -> R {
    var snapshot = snapshot(of: cell) ?? cell.readCurrent()
    defer {
      let old = records.withLock { records in
        records.updateValue(ChangeRecord(cell: cell, snapshot: snapshot), forKey: ObjectIdentifier(cell))
      }
      _ = old
    }
    return try body(&snapshot)
  }

  func hasRecord<Value>(of cell: Cell<Value>) -> Bool {
    records.withLock { $0[ObjectIdentifier(cell)] != nil }
  }
}

private protocol ChangeRecording {
  var change: SharedChange? { get }
}

/// The value of a reference before its change. It keeps the reference alive until somebody has accounted for it.
private struct ChangeRecord<Value>: ChangeRecording {
  let cell: Cell<Value>
  let snapshot: Value

  var change: SharedChange? {
    let current = cell.readCurrent()
    guard !isEqual(snapshot, current) else { return nil }
    return SharedChange(id: ObjectIdentifier(cell), type: Value.self, old: snapshot, new: current)
  }
}

/// Whether two values are equal; values that cannot be compared are not.
func isEqual(_ lhs: Any, _ rhs: Any) -> Bool {
  func open<T: Equatable>(_ lhs: T) -> Bool { lhs == rhs as? T }
  return (lhs as? any Equatable).map { open($0) } ?? false
}

/// A tracker that a cell does not keep alive.
struct WeakTracker {
  weak var tracker: SharedChangeTracker?

  init(_ tracker: SharedChangeTracker) {
    self.tracker = tracker
  }
}
