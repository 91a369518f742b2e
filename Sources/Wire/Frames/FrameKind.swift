/// The kind of a frame. Clients send the kinds below 0x80, the hub those from 0x80 on.
public enum FrameKind: UInt8, Sendable, CaseIterable {
  /// Client: the first frame, with the supported protocol versions and the session to resume.
  case hello = 0x01
  /// Client: subscribe to a scope of the state.
  case attach = 0x02
  /// Client: consecutive actions, with the first one's sequence number.
  case actions = 0x03
  /// Client: request a pong.
  case ping = 0x04
  /// Client: the session has ended and may be removed.
  case leave = 0x05
  /// Client: end the subscription to a scope.
  case detach = 0x06
  /// Client: send the hash of a scope.
  case verify = 0x07
  /// Client: send the schema of the root in the header's scope field.
  case describe = 0x08
  /// Client: cancel the effects of one of its actions.
  case cancel = 0x09
  /// Gateway, before the hello: the user for whom the connection is.
  case represent = 0x0a
  /// Client: the hub, which leads its cluster, shall pass the leadership on.
  case transfer = 0x0b

  /// Hub: the session, its last processed sequence number, and the limits.
  case welcome = 0x81
  /// Hub: a piece of a scope's complete state.
  case snapshot = 0x82
  /// Hub: the changes of a scope since a revision.
  case delta = 0x83
  /// Hub: all actions up to a sequence number were processed.
  case applied = 0x84
  /// Hub: one action was rejected.
  case rejected = 0x85
  /// Hub: the peer's error; the connection closes.
  case error = 0x86
  /// Hub: the hub closes the connection for its own reasons.
  case goodbye = 0x87
  /// Hub: the reply to a ping.
  case pong = 0x88
  /// Hub: a scope has no value.
  case absent = 0x89
  /// Hub: a subscription has ended; its scope number may be reused.
  case detached = 0x8a
  /// Hub: the hash of a scope's state.
  case hash = 0x8b
  /// Hub: the schema of the root in the header's scope field.
  case schema = 0x8c
  /// Hub: a scope has not changed up to a revision.
  case bookmark = 0x8d
  /// Hub: it holds no effects of the actions up to a sequence number any more.
  case released = 0x8e
  /// Hub of a cluster: since when its state may be stale, or that it is current.
  case standing = 0x8f
}
