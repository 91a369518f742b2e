import Wire

/// The phase of a replica's conversation, with the data that exist in this phase only.
enum ReplicaLink {
  /// `start` was not called yet.
  case idle
  /// There is no connection; the next attempt comes at this time.
  case down(retryAt: Duration)
  /// The shell tries to connect.
  case connecting
  /// A hello was sent.
  case greeting(ByteStream)
  /// The hub was asked for its schema, which is not ours.
  case comparing(ByteStream)
  /// A session is open.
  case open(OpenLink)
  /// The client was refused or closed.
  case stopped

  /// The stream of a connection that is there.
  var stream: ByteStream? {
    switch self {
    case .greeting(let stream), .comparing(let stream): stream
    case .open(let open): open.stream
    case .idle, .down, .connecting, .stopped: nil
    }
  }
}

/// The phases by name, for tests that go through all of them.
package enum ReplicaPhase: CaseIterable {
  case idle, down, connecting, greeting, comparing, open, stopped
}

extension ReplicaLink {
  var phase: ReplicaPhase {
    switch self {
    case .idle: .idle
    case .down: .down
    case .connecting: .connecting
    case .greeting: .greeting
    case .comparing: .comparing
    case .open: .open
    case .stopped: .stopped
    }
  }
}

/// The bytes of one connection.
///
/// A class, like `OpenLink`: a phase is changed in place, and is its own as long as somebody works on it.
final class ByteStream {
  var decoder: FrameDecoder
  /// The time of the hub's last sign of life.
  var lastHeard: Duration

  init(at now: Duration) {
    // A piece of a snapshot with its head, or the largest delta that a hub sends.
    decoder = FrameDecoder(payloadLimit: SnapshotPiece.byteLimit + (1 << 24))
    lastHeard = now
  }
}

/// An open session on a connection.
final class OpenLink {
  let stream: ByteStream
  /// The mappings for a hub of another source; nil for one of the same.
  let translation: Translation?
  /// Whether the socket has not taken all that was written.
  var isBusy = false
  var numbers = ScopeNumbers()
  var liveness = Liveness.quiet
  /// The number of pings that were sent.
  var pings: UInt64 = 0
  /// The number of the last ping that was answered.
  var pongs: UInt64 = 0

  /// The reply that the client waits for.
  enum Liveness {
    /// For nothing.
    case quiet
    /// For the time to ask for a sign of life.
    case probe(at: Duration)
    /// For an answer, at most until this time.
    case answer(until: Duration)
  }

  init(_ stream: ByteStream, translation: Translation?) {
    (self.stream, self.translation) = (stream, translation)
  }
}
