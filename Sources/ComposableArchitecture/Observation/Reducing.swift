internal import Glibc

/// Whether this thread reduces at the moment, and which observed fields it has changed.
///
/// What a reducer reads is nobody's observation. Whoever observes a field that it changes is told when the turn is
/// over: then the store can be read. Who is told of several fields, or of something else that a reducer has changed,
/// runs once when everyone has been told.
enum Reducing {
  private final class Turn {
    var depth = 0
    /// The number of the last state that there was when the turn began.
    var lastNumber: UInt64 = 0
    var changed: [ObservedField] = []
    var seen: Set<ObjectIdentifier> = []
    /// How many tellings are under way.
    var tellings = 0
    var afterwards: [() -> Void] = []
    var waiting: Set<ObjectIdentifier> = []

    var isBusy: Bool { depth > 0 || tellings > 0 }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { if let turn = $0 { Unmanaged<AnyObject>.fromOpaque(turn).release() } }
    precondition(status == 0, "pthread_key_create(3) fails only when a process has over a thousand keys")
    return key
  }()

  private static var turn: Turn? {
    pthread_getspecific(key).map { Unmanaged<Turn>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether this thread is within a turn.
  static var isActive: Bool { (turn?.depth ?? 0) > 0 }

  /// Begins a turn.
  static func begin() {
    let turn = ownTurn
    if turn.depth == 0 { turn.lastNumber = Extent.currentNumber }
    turn.depth += 1
  }

  /// The number of the last state before this thread's turn, or of the last one that there is.
  ///
  /// A state that was copied in this turn is still the same for those who observe it: whatever one of the copies changed
  /// they are told of when the turn is over.
  static var lastNumber: UInt64 {
    guard let turn, turn.depth > 0 else { return Extent.currentNumber }
    return turn.lastNumber
  }

  private static var ownTurn: Turn {
    if let turn { return turn }
    let turn = Turn()
    pthread_setspecific(key, Unmanaged.passRetained(turn).toOpaque())
    return turn
  }

  /// Ends a turn; the outermost one gets the fields that were changed, in order.
  static func end() -> [ObservedField] {
    guard let turn else { return [] }
    turn.depth -= 1
    guard turn.depth == 0, !turn.changed.isEmpty else { return [] }
    defer { (turn.changed, turn.seen) = ([], []) }
    return turn.changed
  }

  /// Tells of a changed field: now, or when this thread's turn is over.
  static func note(_ field: ObservedField) {
    guard let turn, turn.depth > 0 else { return tell { field.changed() } }
    if turn.seen.insert(ObjectIdentifier(field)).inserted { turn.changed.append(field) }
  }

  /// Tells of changes that have been made; what is to run afterwards runs when all is told.
  static func tell(_ changes: () -> Void) {
    let turn = ownTurn
    turn.tellings += 1
    changes()
    turn.tellings -= 1
    runAfterwards()
  }

  /// Has `operation` run when this thread's turn, or telling, is over; says whether there is one.
  ///
  /// - Parameter owner: Who wants it: nobody's operation runs twice for one telling.
  static func afterwards(_ owner: AnyObject, _ operation: @escaping () -> Void) -> Bool {
    guard let turn, turn.isBusy else { return false }
    if turn.waiting.insert(ObjectIdentifier(owner)).inserted { turn.afterwards.append(operation) }
    return true
  }

  /// Runs what was to run afterwards, if all is told.
  static func runAfterwards() {
    guard let turn, !turn.isBusy, !turn.afterwards.isEmpty else { return }
    let operations = turn.afterwards
    (turn.afterwards, turn.waiting) = ([], [])
    for operation in operations { operation() }
  }
}
