import Wire

/// A part of a hub's state that the client subscribes to.
final class Subscription {
  let mirror: any Mirror
  /// The state that contains the part.
  let root: StateRoot
  /// The steps to the part, by the keys of the client's schema; for a view, from its value.
  var path: [PathStep]
  /// The view, if it is a part of one.
  var view: SubscribedView?
  /// The shell's object.
  let context: AnyObject?

  /// The revision to which the mirror can apply a delta; nil if it needs a snapshot.
  var base: UInt64?
  /// True if the client becomes live only after the hub has sent this part.
  var isAwaited = false
  /// True if the mirror has a value of the hub's present history.
  var hasArrived = false
  /// True from a move to another part until its value has arrived, which is reported even if it equals that of the part
  /// before: whoever has moved the subscription waits for it.
  var isMoving = false
  /// True if a change was reported since the last `clear()`.
  var isReported = false
  /// The reason why this hub cannot serve it; nil if it can.
  var refusal: String? {
    didSet { if refusal == nil { refusalCode = nil } }
  }
  /// The code of the error for which this hub does not serve it; nil if it does, and for a reason without one.
  var refusalCode: PeerErrorCode?
  /// True if the hub has refused to attach it because of a limit: it may do so when another one was detached.
  var awaitsRoom = false
  /// Its scope on this connection, if any.
  var attachment: Attachment?

  /// The state of a scope on one connection.
  struct Attachment {
    /// The number of the scope.
    let number: UInt16
    /// Converts the hub's bytes of the part; nil if the schemas are equal.
    let mapping: SchemaMapping?
    /// True if the client's value has the hub's bytes, so that their hashes can be compared.
    let isExact: Bool
    /// The number of elements of its window; 0 if it is a part of the state.
    let windowElements: UInt64
    /// The count of detachments of the connection when it was requested.
    let detachments: UInt64
    /// True if it was requested in place of another part, which was attached.
    var replacesAnother = false
    /// The pieces of an incomplete snapshot.
    var pieces: [UInt8] = []
  }

  init(
    _ mirror: any Mirror, root: StateRoot, path: [PathStep], view: SubscribedView? = nil, context: AnyObject?
  ) {
    (self.mirror, self.root, self.path, self.view, self.context) = (mirror, root, path, view, context)
  }

  /// Records that the mirror has the hub's value at a revision.
  func arrived(at revision: UInt64) {
    (base, isAwaited) = (revision, false)
  }

  /// Records that the hub has no such part, or does not show it. Another hub may, so the next one must send its value.
  func isUnknownToHub() {
    (base, isAwaited) = (nil, false)
  }
}

/// The numbers of the scopes of one connection.
struct ScopeNumbers {
  /// The maximum number of scopes detached because of hashes that the hub has not confirmed yet.
  static var retiredLimit: Int { 1024 }

  private var subscriptions: [UInt16: Subscription] = [:]
  /// Detached numbers that the hub has not confirmed yet.
  private var retired: Set<UInt16> = []
  private var next: UInt16 = 0

  var retiredCount: Int { retired.count }

  subscript(number: UInt16) -> Subscription? { subscriptions[number] }

  /// Assigns a number to a subscription; nil if none is free.
  mutating func assign(_ subscription: Subscription) -> UInt16? {
    guard subscriptions.count + retired.count <= Int(UInt16.max) else { return nil }
    while subscriptions[next] != nil || retired.contains(next) { next &+= 1 }
    defer { next &+= 1 }
    subscriptions[next] = subscription
    return next
  }

  /// Removes a number from its subscription; it is free once the hub has confirmed it.
  mutating func retire(_ number: UInt16) {
    subscriptions[number] = nil
    retired.insert(number)
  }

  /// Records the hub's confirmation that no more frames with a number follow.
  ///
  /// - Returns: The subscription that has the number, which the hub has therefore refused; nil if the client has detached
  ///   it.
  mutating func confirm(_ number: UInt16) -> Subscription? {
    guard retired.remove(number) == nil else { return nil }
    return subscriptions.removeValue(forKey: number)
  }
}
