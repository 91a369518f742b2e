import Features
import Glibc
import Testing
import Wire

/// A hub that sends the frames which a test writes, and reads only when the test does.
final class ScriptedHub {
  private let bench: Bench
  private let listener: Int32
  private var peers: [Int32] = []

  /// Listens on the path of a bench.
  init(on bench: Bench) throws {
    self.bench = bench
    let (listener, bound) = bench.socket(bind)
    try #require(bound == 0 && listen(listener, 8) == 0 && fcntl(listener, F_SETFL, O_NONBLOCK) == 0)
    self.listener = listener
  }

  /// Waits for the next connection.
  func accept() async -> Int32 {
    var peer: Int32 = -1
    #expect(
      await bench.until {
        peer = Glibc.accept(listener, nil, nil)
        return peer >= 0
      })
    peers.append(peer)
    return peer
  }

  func send(to peer: Int32, _ write: (inout FrameWriter) -> Void) {
    var writer = FrameWriter()
    write(&writer)
    let bytes = writer.bytes
    #expect(Glibc.write(peer, bytes, bytes.count) == bytes.count)
  }

  /// Reads what the client has sent so far.
  func read(from peer: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return Array(buffer.prefix(max(count, 0)))
  }

  /// True if the client has sent something that was not read.
  func hasBytes(from peer: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(peer, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) > 0
  }

  /// True if the client has closed its side of a connection.
  func isClosed(_ peer: Int32) -> Bool {
    var poll = pollfd(fd: peer, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1 && poll.revents & Int16(POLLHUP) != 0
  }

  func close() {
    for descriptor in peers + [listener] { Glibc.close(descriptor) }
  }
}

extension FrameWriter {
  /// Writes the welcome to a new session with `AppFeature`.
  mutating func welcome() {
    frame(
      Welcome(
        version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20, hub: "",
        schema: Schema(state: AppFeature.State.self, action: AppFeature.Action.self).fingerprint))
  }

  /// Writes a snapshot in one piece.
  mutating func snapshot(of part: some Replicated, scope: UInt16, revision: UInt64) {
    let bytes = part.encoded()
    frame(FrameHeader(kind: .snapshot, flags: SnapshotPiece.finalFlag, scope: scope, revision: revision)) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: bytes.count, to: &$0)
      $0.append(bytes.span.bytes)
    }
  }
}
