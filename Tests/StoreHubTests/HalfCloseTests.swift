import ComposableArchitecture
import EventLoop
import HubCore
import IdentifiedCollections
import StoreHub
import TestFeatures
import Testing
import Wire

/// A peer that closes its direction of the stream and continues to read.
@Suite(.serialized, .timeLimit(.minutes(30))) struct HalfCloseTests {
  @Test func itGetsEverythingThatIsPending() async throws {
    let bench = try Bench()
    var state = Board.State()
    state.items = .init(uniqueElements: (0..<40_000).map { Board.Item(id: $0, title: "an item with number \($0)") })
    let engine = FeatureEngine(initialState: state, reducer: Board())
    let server = try bench.serve(engine)

    var decoder = FrameDecoder(payloadLimit: 1 << 24)
    var snapshot: [UInt8] = []
    var kinds: [FrameKind] = []
    var hasEnded = false
    let stream = try PipeStream(on: bench.loop)
    try stream.connect(to: bench.path) { #expect($0 == nil) }
    #expect(await bench.until { server.connectionCount == 1 })
    try stream.startReading(
      onBytes: { bytes in
        try? decoder.feed(bytes) { header, payload throws(WireError) in
          guard let kind = FrameKind(rawValue: header.kind) else { return }
          if kinds.last != kind { kinds.append(kind) }
          guard kind == .snapshot else { return }
          let piece = try SnapshotPiece(CBORDecoder(payload))
          piece.bytes.withUnsafeBytes { snapshot.append(contentsOf: $0) }
        }
      }, onEnd: { _ in hasEnded = true })

    var writer = FrameWriter()
    writer.frame(Hello())
    writer.frame(Attach(), scope: 1)
    writer.frame(FrameHeader(kind: .actions)) {
      $0.unsigned(1)
      $0.unsigned(0)
      Board.Action.setCount(7).encode(to: &$0)
    }
    let bytes = writer.bytes
    _ = try stream.write(bytes.span.bytes)
    stream.finishWriting {}
    #expect(await bench.until { hasEnded })

    #expect(kinds == [.welcome, .snapshot, .applied])
    #expect(try Board.State(decoding: snapshot.span.bytes) == engine.state)
    #expect(engine.state.count == 7)
    #expect(await bench.until { server.connectionCount == 0 })
    stream.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
