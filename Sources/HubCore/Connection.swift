import Wire

/// What the hub knows of one open connection. The session is in here while it is attached to one.
struct Connection {
  enum Phase: Equatable {
    /// The slot is free.
    case free
    /// Nothing but a hello is welcome.
    case greeting
    /// The session is open.
    case live
    /// The last word was said; what still comes in is ignored.
    case closing
  }

  /// A scope that it follows.
  struct Scope {
    /// What the client calls it.
    let number: UInt16
    let root: StateRoot
    /// Its follower in the root's publisher.
    let follower: Int
  }

  var generation: UInt32 = 0
  var phase = Phase.free
  var peer = Peer(process: 0, user: 0, group: 0)
  var decoder: FrameDecoder
  var session = Session()
  var scopes: [Scope] = []
  /// Scopes that are no longer followed, which the client is to be told.
  var owedDetached: [UInt16] = []
  /// Whether the client asked for the schema.
  var owesSchema = false
  /// Under which number it is among the attendees.
  var attendee: UInt64?
  /// The highest sequence number that an `applied` frame told the client of.
  var toldProcessed: UInt64 = 0
  /// How many of the session's refusals were written on this connection.
  var toldRejections = 0
  /// Whether the session was resumed, so that revisions the client knows are of this hub's life.
  var isResumed = false
  /// The last ping that has no pong yet.
  var owedPong: UInt64?
  /// Whether the socket has not yet taken all of the last write.
  var isBusy = false
  /// Whether the connection stands in the hub's list of those to be written to at the end of the turn.
  var isOwed = false
  /// Whether it waits for the next time that changes are sent to everyone.
  var isGathering = false
  /// When patience ends: for the hello, for the rest of a frame, or for the last bytes to be read.
  var deadline: Duration?

  /// Takes the decoder out, so that frames can be handled while it runs.
  mutating func takeDecoder() -> FrameDecoder {
    let limit = decoder.payloadLimit
    defer { decoder = FrameDecoder(payloadLimit: limit) }
    return decoder
  }
}

extension Session {
  /// Forgets the refusals that the client has learnt of, and returns how many they were.
  mutating func acknowledge(_ sequence: UInt64) -> Int {
    guard let first = rejections.first, first.sequence <= sequence else { return 0 }
    let count = rejections.firstIndex { $0.sequence > sequence } ?? rejections.count
    rejections.removeFirst(count)
    return count
  }
}

/// What survives a connection: where a client's numbered actions stand.
struct Session {
  var id = SessionID(high: 0, low: 0)
  /// Every action up to this sequence number took effect or was refused.
  var processed: UInt64 = 0
  /// Refusals that the client has not acknowledged, oldest first.
  var rejections: [Rejected] = []
  /// What the client has of the scopes that it followed, until it follows them again.
  var held: [HeldScope] = []
}
