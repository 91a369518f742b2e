internal import Glibc

/// Whether this thread reduces at the moment, and which observed fields it has changed.
///
/// What a reducer reads is nobody's observation. Whoever observes a field that it changes is told when the turn is
/// over: then the store can be read.
enum Reducing {
  private final class Turn {
    var depth = 0
    var changed: [ObservedField] = []
    var seen: Set<ObjectIdentifier> = []
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
    if let turn {
      turn.depth += 1
    } else {
      let turn = Turn()
      turn.depth = 1
      pthread_setspecific(key, Unmanaged.passRetained(turn).toOpaque())
    }
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
    guard let turn, turn.depth > 0 else { return field.changed() }
    if turn.seen.insert(ObjectIdentifier(field)).inserted { turn.changed.append(field) }
  }
}
