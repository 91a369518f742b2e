internal import CFeatureCore
internal import Glibc

/// The turn of a store on this thread, and the observed fields that it has changed.
///
/// Reads in a reducer are never observed. The observers of a field that a store's reducer changes are notified after
/// the turn, when the store can be read. An observer of several fields runs once, after all notifications.
///
/// A reducer that runs without a store, as in a hub, has no turn and no such cost.
@usableFromInline
package enum Reducing {
  /// A turn of this thread. It is thread-local memory and not an object, because every send begins and ends one.
  package struct Turn {
    fileprivate var depth = 0
    /// True if a changed copy of a state keeps the identity, because the original is kept only for a rollback.
    fileprivate var keepsIdentity = false
    fileprivate var changed: [ObservedField] = []
    fileprivate var seen: Set<ObjectIdentifier> = []
    fileprivate var returning: Return?
    /// The depth of nested notifications.
    fileprivate var notifications = 0
    /// The operations to run after all notifications; `waiting` lists their owners.
    fileprivate var afterwards: [@MainActor () -> Void] = []
    fileprivate var waiting: Set<ObjectIdentifier> = []

    fileprivate var isBusy: Bool { depth > 0 || notifications > 0 }
  }

  /// The return of a child's changed state to its parent through the setters of a key path's properties.
  ///
  /// Such a property is read and set, so the child's reducer changes a copy of the state, and the parent's fields
  /// cannot tell that it is the same state.
  struct Return {
    /// When the child's reducer began. The observers know of the copies and changes that it made since.
    let moment: UInt64
    /// The type of a collection whose only change is that one element was changed, and not replaced; nil for others, and
    /// once it was set.
    var collection: ObjectIdentifier?
  }

  /// Frees a thread's turn when the thread ends.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { memory in
      guard let turn = memory?.assumingMemoryBound(to: Turn.self) else { return }
      turn.deinitialize(count: 1)
      turn.deallocate()
    }
    precondition(status == 0, "pthread_key_create(3) fails only when a process has over a thousand keys")
    return key
  }()

  private static var turn: UnsafeMutablePointer<Turn>? {
    storehub_current_turn()?.assumingMemoryBound(to: Turn.self)
  }

  /// Begins a turn. The same thread must end it.
  @MainActor
  package static func begin() -> UnsafeMutablePointer<Turn> {
    let turn = turn ?? addTurn()
    turn.pointee.depth += 1
    storehub_begin_reducing()
    return turn
  }

  /// Reads states without being observed, as a hub does to publish them.
  @inline(__always)
  package static func unobserved<Result, Failure>(
    _ operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    storehub_begin_reducing()
    defer { storehub_end_reducing() }
    return try operation()
  }

  private static func addTurn() -> UnsafeMutablePointer<Turn> {
    let turn = UnsafeMutablePointer<Turn>.allocate(capacity: 1)
    turn.initialize(to: Turn())
    pthread_setspecific(key, turn)
    storehub_set_current_turn(turn)
    return turn
  }

  /// Runs a change of states whose originals are kept for a rollback; the new states keep their identities.
  package static func keepingIdentity(_ change: () -> Void) {
    let turn = turn ?? addTurn()
    let keptIdentity = turn.pointee.keepsIdentity
    turn.pointee.keepsIdentity = true
    change()
    turn.pointee.keepsIdentity = keptIdentity
  }

  /// True if a copied state keeps its identity when it changes.
  static var keepsIdentity: Bool { turn.map(\.pointee.keepsIdentity) ?? false }

  /// Ends a turn; the outermost one returns the changed fields, in order.
  package static func end(_ turn: UnsafeMutablePointer<Turn>) -> [ObservedField] {
    storehub_end_reducing()
    turn.pointee.depth -= 1
    guard turn.pointee.depth == 0, !turn.pointee.changed.isEmpty else { return [] }
    defer { (turn.pointee.changed, turn.pointee.seen) = ([], []) }
    return turn.pointee.changed
  }

  /// True if a turn that has ended was part of another store's.
  package static func isNested(_ turn: UnsafeMutablePointer<Turn>) -> Bool { turn.pointee.depth > 0 }

  /// Notifies the observers of a changed field: now, or at the end of this thread's turn.
  static func note(_ field: ObservedField) {
    guard let turn, turn.pointee.depth > 0 else { return field.changed() }
    if turn.pointee.seen.insert(ObjectIdentifier(field)).inserted { turn.pointee.changed.append(field) }
  }

  /// The child's state that is being returned to its parent.
  static var returning: Return? { turn.flatMap { $0.pointee.returning } }

  /// Returns true if a collection that is being set is the one that is returned with only one element changed.
  ///
  /// That is the first one of its type: the setter of a computed property may change others as well.
  static func takeReturned<Collection>(_: Collection.Type) -> Bool {
    guard let turn, turn.pointee.returning?.collection == ObjectIdentifier(Collection.self) else { return false }
    turn.pointee.returning?.collection = nil
    return true
  }

  /// Changes a part of a state.
  ///
  /// - Parameter change: Changes the part; its result says whether the only change of a collection is that one element
  ///   was changed, and not replaced. It receives the moment at which it begins; nil outside a store's turn.
  @inlinable
  static func change<State, Part, Result>(
    _ state: inout State, at keyPath: WritableKeyPath<State, Part>,
    _ change: (inout Part, _ moment: UInt64?) -> (Result, isElementOnly: Bool)
  ) -> Result {
    guard isInTurn else { return change(&state[keyPath: keyPath], nil).0 }
    return changeInTurn(&state, at: keyPath, change)
  }

  /// True during a store's turn.
  @usableFromInline static var isInTurn: Bool { turn.map { $0.pointee.depth > 0 } ?? false }

  @usableFromInline
  static func changeInTurn<State, Part, Result>(
    _ state: inout State, at keyPath: WritableKeyPath<State, Part>,
    _ change: (inout Part, _ moment: UInt64?) -> (Result, isElementOnly: Bool)
  ) -> Result {
    let turn = turn
    func changeAndReturn(_ part: inout Part) -> Result {
      let moment = Extent.nextNumber()
      let (result, isElementOnly) = change(&part, moment)
      turn?.pointee.returning = Return(
        moment: moment, collection: isElementOnly ? ObjectIdentifier(Part.self) : nil)
      return result
    }
    defer { turn?.pointee.returning = nil }
    return changeAndReturn(&state[keyPath: keyPath])
  }

  /// True if operations wait for the end of a turn.
  package static func isAwaited(_ turn: UnsafeMutablePointer<Turn>) -> Bool { !turn.pointee.afterwards.isEmpty }

  /// Notifies observers of changes, then runs the operations of ``afterwards(_:_:)``.
  @MainActor
  package static func notify(_ changes: () -> Void) {
    let turn = turn ?? addTurn()
    turn.pointee.notifications += 1
    changes()
    turn.pointee.notifications -= 1
    guard !turn.pointee.isBusy, !turn.pointee.afterwards.isEmpty else { return }
    let operations = turn.pointee.afterwards
    (turn.pointee.afterwards, turn.pointee.waiting) = ([], [])
    for operation in operations { operation() }
  }

  /// Runs `operation` after this thread's turn or notifications; returns false, without running it, if there are none.
  ///
  /// Turns and notifications are synchronous work of the main actor, on whichever thread that runs. So `operation` runs
  /// there, although the caller cannot know that it does.
  ///
  /// - Parameter owner: The owner of the operation. Only one operation of each owner runs.
  package static func afterwards(_ owner: AnyObject, _ operation: @escaping @MainActor () -> Void) -> Bool {
    guard let turn, turn.pointee.isBusy else { return false }
    if turn.pointee.waiting.insert(ObjectIdentifier(owner)).inserted { turn.pointee.afterwards.append(operation) }
    return true
  }
}
