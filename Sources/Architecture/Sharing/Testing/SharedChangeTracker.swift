internal import CustomDump
public import Dependencies
internal import IssueReporting
internal import Synchronization

/// Records an operation's changes of shared references, so that a test can require an assertion of each change.
///
/// ```swift
/// let tracker = SharedChangeTracker()
/// tracker.track { $count.withLock { $0 += 1 } }
/// tracker.assert { $count.withLock { $0 = 1 } }
/// ```
///
/// A test store runs its reducer within ``track(_:)-(()->R)``, and its assertions within ``assert(_:)``. In an
/// assertion, a changed reference reads as before the change, `withLock` changes only that snapshot, and `==` compares
/// the snapshot on the left with the value on the right. States before and after, which contain the same reference, are
/// thus equal exactly if the test asserted the change.
public final class SharedChangeTracker: Sendable {
  @TaskLocal static var assertingTracker: SharedChangeTracker?
  /// The trackers of ``trackHere(_:)``.
  @TaskLocal private static var trackersHere: [SharedChangeTracker] = []
  /// The number of trackers. If there are none, as always in production, reads and changes look no further.
  private static let count = Atomic<Int>(0)

  private let records = Guarded<[ObjectIdentifier: any ChangeRecording]>([:])
  private let writes = Atomic<Int>(0)
  private let reportsUnassertedChanges: Bool
  private let place: IssueLocation

  /// Creates a tracker.
  ///
  /// - Parameter reportUnassertedChanges: True if changes that remain when the tracker is released are issues.
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

  /// Runs an operation and records its changes, including those of the tasks that it starts.
  public func track<R>(_ operation: () throws -> R) rethrows -> R {
    try withDependencies {
      $0.sharedChangeTrackers.append(self)
    } operation: {
      try operation()
    }
  }

  /// Runs an asynchronous operation and records its changes, including those of the tasks that it starts.
  public func track<R>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R
  ) async rethrows -> R {
    try await withDependencies {
      $0.sharedChangeTrackers.append(self)
    } operation: {
      try await operation()
    }
  }

  /// Runs an operation and records its changes, but not those of the effects that it creates: unlike with
  /// ``track(_:)-(()->R)``, they do not inherit the tracker.
  package func trackHere<R>(_ operation: () throws -> R) rethrows -> R {
    try Self.$trackersHere.withValue(Self.trackersHere + [self]) { try operation() }
  }

  /// Runs an operation that reads and changes snapshots: the values before the recorded changes.
  ///
  /// Afterwards, references whose snapshot equals their value count as unchanged.
  public func assert<R>(_ operation: () throws -> R) rethrows -> R {
    defer { forgetStatedChanges() }
    return try Self.$assertingTracker.withValue(self) { try operation() }
  }

  /// True if a recorded change was not asserted.
  public var hasChanges: Bool { !changes.isEmpty }

  /// The number of recorded changes since the tracker was created, also of those that left an equal value.
  package var writeCount: Int { writes.load(ordering: .relaxed) }

  /// The changes that were not asserted. A reverted change does not count.
  public var changes: [TrackedChange] {
    records.withLock { Array($0.values) }.compactMap(\.change)
  }

  /// Discards all changes, asserted or not.
  public func resetChanges() {
    let forgotten = records.withLock { records in
      defer { records = [:] }
      return records
    }
    _ = forgotten  // References may be released here, outside the lock.
  }

  /// Reports each change that was not asserted.
  public func reportChanges() {
    for change in changes {
      reportIssue(
        """
        Tracked unasserted changes to 'Shared<\(typeName(change.type, generics: true))>(value: \(String(reflecting: change.new)))': \
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

/// A recorded change of one reference.
public struct TrackedChange {
  /// The reference.
  public let id: ObjectIdentifier
  /// The type of its value.
  public let type: Any.Type
  /// The value before the first change, or the last one that an assertion stated.
  public let old: Any
  /// The current value.
  public let new: Any
}

extension DependencyValues {
  /// The trackers of this task. Pass them on where effects run outside the task.
  public var sharedChangeTrackers: [SharedChangeTracker] {
    get { self[SharedChangeTrackersKey.self] }
    set { self[SharedChangeTrackersKey.self] = newValue }
  }
}

private enum SharedChangeTrackersKey: DependencyKey {
  typealias Value = [SharedChangeTracker]
  static let liveValue: Value = []
  static let testValue: Value = []
  static let isReproducible = true
}

// MARK: - Queries of a cell

extension SharedChangeTracker {
  /// The tracker whose assertion is running in this task.
  static var asserting: SharedChangeTracker? {
    count.load(ordering: .relaxed) == 0 ? nil : assertingTracker
  }

  /// The trackers that record the changes of this task.
  static var recording: [SharedChangeTracker] {
    guard count.load(ordering: .relaxed) != 0 else { return [] }
    @Dependency(\.sharedChangeTrackers) var trackers
    return trackers + trackersHere
  }

  /// Records the value before a change, unless an earlier change was recorded; returns true if it did.
  func record<Value>(_ cell: Cell<Value>, old: Value) -> Bool {
    writes.add(1, ordering: .relaxed)
    return records.withLock { records in
      guard records[ObjectIdentifier(cell)] == nil else { return false }
      records[ObjectIdentifier(cell)] = ChangeRecord(cell: cell, snapshot: old)
      return true
    }
  }

  func snapshot<Value>(of cell: Cell<Value>) -> Value? {
    records.withLock { ($0[ObjectIdentifier(cell)] as? ChangeRecord<Value>)?.snapshot }
  }

  /// Changes the snapshot of a reference, or a new one of its value if it has not changed yet.
  ///
  /// Meanwhile the snapshot is outside the lock, so that the operation may read other references.
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
  var change: TrackedChange? { get }
}

/// The value of a reference before its change. It retains the reference until the change is asserted or discarded.
private struct ChangeRecord<Value>: ChangeRecording {
  let cell: Cell<Value>
  let snapshot: Value

  var change: TrackedChange? {
    let current = cell.readCurrent()
    guard !isEqual(snapshot, current) else { return nil }
    return TrackedChange(id: ObjectIdentifier(cell), type: Value.self, old: snapshot, new: current)
  }
}

/// Returns true if two values are equal; false if they cannot be compared.
func isEqual(_ lhs: Any, _ rhs: Any) -> Bool {
  func open<T: Equatable>(_ lhs: T) -> Bool { lhs == rhs as? T }
  return (lhs as? any Equatable).map { open($0) } ?? false
}

/// A weak reference from a cell to a tracker.
struct WeakTracker {
  weak var tracker: SharedChangeTracker?

  init(_ tracker: SharedChangeTracker) {
    self.tracker = tracker
  }
}
