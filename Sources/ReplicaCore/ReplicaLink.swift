import Wire

/// The phase of a replica's connection, with the data of that phase.
enum ReplicaLink {
  /// `start` was not called yet.
  case idle
  /// There is no connection; the next attempt is made at this time.
  case down(retryAt: Duration)
  /// The shell is connecting.
  case connecting
  /// A *hello* was sent.
  case greeting(ByteStream)
  /// The client has requested the hub's schema, because it differs from the client's.
  case comparing(ByteStream)
  /// A session is open.
  case open(OpenLink)
  /// The client was refused or closed.
  case stopped

  /// The stream of an open connection.
  var stream: ByteStream? {
    switch self {
    case .greeting(let stream), .comparing(let stream): stream
    case .open(let open): open.stream
    case .idle, .down, .connecting, .stopped: nil
    }
  }
}

/// The names of the phases, for tests that visit all of them.
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
/// A class, like `OpenLink`, because the phase is changed in place while its data are in use.
final class ByteStream {
  var decoder: FrameDecoder
  /// The time of the hub's last sign of life.
  var lastHeard: Duration

  init(at now: Duration) {
    // The maximum size of a piece of a snapshot with its header, or of a hub's largest delta.
    decoder = FrameDecoder(payloadLimit: SnapshotPiece.byteLimit + (1 << 24))
    lastHeard = now
  }
}

/// An open session on a connection.
final class OpenLink {
  let stream: ByteStream
  /// The mappings for a hub with another schema; nil if the schemas are equal.
  let translation: Translation?
  /// True if the socket has not accepted all output.
  var isBusy = false
  var numbers = ScopeNumbers()
  /// The sum of the elements of the attached windows.
  var windowElements: UInt64 = 0
  /// How often parts were detached that left room for others.
  var detachments: UInt64 = 0
  var liveness = Liveness.quiet
  /// The number of sent pings.
  var pings: UInt64 = 0
  /// The number of the last answered ping.
  var pongs: UInt64 = 0

  /// The event that the client waits for.
  enum Liveness {
    /// None.
    case quiet
    /// The time for a ping.
    case probe(at: Duration)
    /// An answer, until this time.
    case answer(until: Duration)
  }

  init(_ stream: ByteStream, translation: Translation?) {
    (self.stream, self.translation) = (stream, translation)
  }
}
