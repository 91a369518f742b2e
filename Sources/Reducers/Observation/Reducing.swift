internal import CReducers
internal import Glibc

/// The turn of a store on this thread, and which observed fields it has changed.
///
/// Reads in a reducer are no observations, wherever it runs. The observers of a field that a store's reducer changes are
/// notified after the turn, when the store can be read. An observer of several fields runs once, when all have been
/// notified.
///
/// A reducer that runs without a store, as a hub's does, has no turn and pays for none of this.
@usableFromInline
package enum Reducing {
  /// A turn of this thread. It is memory of the thread, and not an object, since every send begins and ends one.
  package struct Turn {
    fileprivate var depth = 0
    /// Whether a changed state keeps its identity though a copy of it is kept, to go back to if the change fails.
    fileprivate var keepsIdentity = false
    fileprivate var changed: [ObservedField] = []
    fileprivate var seen: Set<ObjectIdentifier> = []
    fileprivate var returning: Return?
    /// How many tellings of changes are under way, one within the other.
    fileprivate var tellings = 0
    /// What is to run when all is told, and who wants it.
    fileprivate var afterwards: [() -> Void] = []
    fileprivate var waiting: Set<ObjectIdentifier> = []

    fileprivate var isBusy: Bool { depth > 0 || tellings > 0 }
  }

  /// The way of a child's changed state back into its parent, by the setters of a key path's properties.
  ///
  /// Such a property is read and set, so that a copy of the child's state is changed, and the parent's fields cannot see
  /// by themselves that it is the same state.
  struct Return {
    /// When the child's reducer began. What it copied and changed since, its observers know of.
    let moment: UInt64
    /// Whether, of a collection, nothing has happened but that one element was changed, and not replaced.
    let isElementOnly: Bool
  }

  /// Frees a thread's turn with the thread.
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

  /// Begins a turn, which this thread must end.
  package static func begin() -> UnsafeMutablePointer<Turn> {
    let turn = turn ?? addTurn()
    turn.pointee.depth += 1
    storehub_begin_reducing()
    return turn
  }

  /// Reads states of which no read is an observation, as a hub does to publish them.
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

  /// Runs a change of states of which the old ones are kept until it has succeeded: the new ones have their identity.
  package static func keepingIdentity(_ change: () -> Void) {
    let turn = turn ?? addTurn()
    let keptIdentity = turn.pointee.keepsIdentity
    turn.pointee.keepsIdentity = true
    change()
    turn.pointee.keepsIdentity = keptIdentity
  }

  /// Whether a state that is a copy keeps its identity when it changes.
  static var keepsIdentity: Bool { turn.map(\.pointee.keepsIdentity) ?? false }

  /// Ends a turn; the outermost one gets the fields that were changed, in order.
  package static func end(_ turn: UnsafeMutablePointer<Turn>) -> [ObservedField] {
    storehub_end_reducing()
    turn.pointee.depth -= 1
    guard turn.pointee.depth == 0, !turn.pointee.changed.isEmpty else { return [] }
    defer { (turn.pointee.changed, turn.pointee.seen) = ([], []) }
    return turn.pointee.changed
  }

  /// Tells of a changed field: now, or when this thread's turn is over.
  static func note(_ field: ObservedField) {
    guard let turn, turn.pointee.depth > 0 else { return field.changed() }
    if turn.pointee.seen.insert(ObjectIdentifier(field)).inserted { turn.pointee.changed.append(field) }
  }

  /// The child's state that is on its way back.
  static var returning: Return? { turn.flatMap { $0.pointee.returning } }

  /// Changes a part of a state.
  ///
  /// - Parameter change: Says whether of a collection only one element was changed, and not replaced. It gets the moment
  ///   of its beginning, nil when no store is concerned.
  @inlinable
  static func change<State, Part, Result>(
    _ state: inout State, at keyPath: WritableKeyPath<State, Part>,
    _ change: (inout Part, _ moment: UInt64?) -> (Result, isElementOnly: Bool)
  ) -> Result {
    guard isInTurn else { return change(&state[keyPath: keyPath], nil).0 }
    return changeInTurn(&state, at: keyPath, change)
  }

  /// Whether a store's turn is going on.
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
      turn?.pointee.returning = Return(moment: moment, isElementOnly: isElementOnly)
      return result
    }
    defer { turn?.pointee.returning = nil }
    return changeAndReturn(&state[keyPath: keyPath])
  }

  /// Tells of changes that have been made; what is to run afterwards runs when all is told.
  package static func tell(_ changes: () -> Void) {
    let turn = turn ?? addTurn()
    turn.pointee.tellings += 1
    changes()
    turn.pointee.tellings -= 1
    guard !turn.pointee.isBusy, !turn.pointee.afterwards.isEmpty else { return }
    let operations = turn.pointee.afterwards
    (turn.pointee.afterwards, turn.pointee.waiting) = ([], [])
    for operation in operations { operation() }
  }

  /// Has `operation` run when this thread's turn, or telling, is over; says whether there is one.
  ///
  /// - Parameter owner: Who wants it: nobody's operation runs twice for one telling.
  package static func afterwards(_ owner: AnyObject, _ operation: @escaping () -> Void) -> Bool {
    guard let turn, turn.pointee.isBusy else { return false }
    if turn.pointee.waiting.insert(ObjectIdentifier(owner)).inserted { turn.pointee.afterwards.append(operation) }
    return true
  }
}
