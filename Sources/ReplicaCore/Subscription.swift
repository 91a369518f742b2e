import Wire

/// A part of a hub's state that the client subscribes to.
final class Subscription {
  let mirror: any Mirror
  /// The state that the part belongs to.
  let root: StateRoot
  /// The steps to the part, by the keys of the client's schema.
  let path: [PathStep]
  /// The shell's object.
  let context: AnyObject?

  /// The revision from which the mirror can take a delta; nil when only a snapshot can put it right.
  var base: UInt64?
  /// Whether the client is not live before the hub has sent something for it.
  var isAwaited = false
  /// Whether a change was reported since the last `clear()`.
  var isReported = false
  /// Its place on this connection; nil while it has none.
  var attachment: Attachment?

  /// The state of one connection.
  struct Attachment {
    /// The number of the scope.
    let number: UInt16
    /// Turns the hub's bytes of the part into ours; nil when they are the same.
    let mapping: SchemaMapping?
    /// The pieces of a snapshot that is not complete.
    var pieces: [UInt8] = []
  }

  init(_ mirror: any Mirror, root: StateRoot, path: [PathStep], context: AnyObject?) {
    (self.mirror, self.root, self.path, self.context) = (mirror, root, path, context)
  }

  /// Takes note that the mirror now has what the hub had at a revision.
  func arrived(at revision: UInt64) {
    (base, isAwaited) = (revision, false)
  }
}

/// The numbers of the scopes of one connection.
struct ScopeNumbers {
  /// The most scopes that may be detached because of hashes before the hub has confirmed one.
  static var retiredLimit: Int { 1024 }

  private var subscriptions: [UInt16: Subscription] = [:]
  /// Detached numbers, until the hub has confirmed it.
  private var retired: Set<UInt16> = []
  private var next: UInt16 = 0

  var retiredCount: Int { retired.count }

  subscript(number: UInt16) -> Subscription? { subscriptions[number] }

  /// Gives a subscription a number; nil if none is free.
  mutating func assign(_ subscription: Subscription) -> UInt16? {
    guard subscriptions.count + retired.count <= Int(UInt16.max) else { return nil }
    while subscriptions[next] != nil || retired.contains(next) { next &+= 1 }
    defer { next &+= 1 }
    subscriptions[next] = subscription
    return next
  }

  /// Takes a number away; it is free once the hub has confirmed it.
  mutating func retire(_ number: UInt16) {
    subscriptions[number] = nil
    retired.insert(number)
  }

  /// The hub has confirmed that nothing more comes under a number.
  mutating func confirm(_ number: UInt16) { retired.remove(number) }
}
