import ComposableArchitecture
import EventLoop
import Features
import Foundation
import HubCore
import StoreClient
import Testing
import Wire

@testable import StoreHub

@Suite(.serialized, .timeLimit(.minutes(30))) struct ContentionTests {
  /// No turn may have followed the last publication, however long ago it was.
  @Test func aChangeAfterAQuietPeriodIsPublishedAtOnce() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.coalescingThreshold = 1
    (limits.coalescing, limits.longestCoalescing) = (.milliseconds(20), .milliseconds(20))
    let server = try bench.serve(limits: limits)
    let client = try bench.attach()
    #expect(await bench.until { client.store != nil })
    bench.engine.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { client.store?.counter.count == 1 })
    usleep(20_000)
    bench.engine.send(.counter(.incrementButtonTapped))
    bench.loop.run(.noWait)
    let due = server.shell.core.publicationDue
    #expect(due == nil)
    #expect(await bench.until { client.store?.counter.count == 2 })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// One client floods the hub with large frames, and another sends single actions.
  @Test func aFloodAndASingleActionAreBothServed() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let (flood, single) = (try RawClient(bench), try RawClient(bench))
    #expect(await bench.until { flood.isWelcome && single.isWelcome })
    let increment = AppFeature.Action.counter(.incrementButtonTapped).encoded()
    for round in 0..<4 {
      flood.send(Array(repeating: increment, count: 100_000), from: UInt64(round * 100_000 + 1))
    }
    var count: UInt64 = 0
    var wasBehind = false
    while flood.applied < 400_000 {
      count += 1
      single.send([increment], from: count)
      try #require(await bench.until { single.applied == count })
      if flood.applied < 400_000 { wasBehind = true }
    }
    #expect(wasBehind && count > 1)
    #expect(bench.engine.state.counter.count == 400_000 + Int(count))
    flood.close()
    single.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aReducerThatBlocksTheLoopIsNamed() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(
      initialState: AppFeature.State(),
      reducer: Reduce<AppFeature.State, AppFeature.Action> { _, action in
        if case .counter(.decrementButtonTapped) = action { usleep(250_000) }
        return .none
      })
    let file = bench.directory + "/log"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    let descriptor = open(file, O_WRONLY)
    let log = Log(program: "test", level: .warning, descriptor: descriptor)
    let server = try HubServer(engine, loop: bench.loop, path: bench.path, log: log)
    let client = try RawClient(bench)
    #expect(await bench.until { client.isWelcome })
    client.send([AppFeature.Action.counter(.incrementButtonTapped).encoded()], from: 1)
    #expect(await bench.until { client.applied == 1 })
    client.send([AppFeature.Action.counter(.decrementButtonTapped).encoded()], from: 2)
    #expect(await bench.until { client.applied == 2 })
    let text = { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    let sender = "of process \(getpid()) of user \(getuid())"
    let action = "counter.decrementButtonTapped"
    // On a busy machine an earlier turn may have taken long too; then this read was timed already.
    #expect(
      await bench.until {
        text().contains("the last actions were \(action), \(sender)") || text().contains(" ms by \(action) \(sender)")
      })
    // Reads are now timed, so another client's read in the same turn is not reported instead.
    let others = try (0..<2).map { _ in try RawClient(bench) }
    #expect(await bench.until { others.allSatisfy(\.isWelcome) })
    others[0].send([AppFeature.Action.counter(.incrementButtonTapped).encoded()], from: 1)
    client.send([AppFeature.Action.counter(.decrementButtonTapped).encoded()], from: 3)
    others[1].send([AppFeature.Action.counter(.incrementButtonTapped).encoded()], from: 1)
    #expect(await bench.until { client.applied == 3 && others.allSatisfy { $0.applied == 1 } })
    #expect(await bench.until { text().contains(" ms by counter.decrementButtonTapped of process \(getpid())") })
    for client in others { client.close() }
    client.close()
    #expect(await bench.stop(server))
    Glibc.close(descriptor)
    bench.clean()
  }

  /// A read that begins inside a frame may continue with bytes that look like another frame.
  @Test func theRestOfAFrameIsNotNamedAsAnAction() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    // Not a stream of the loop, whose buffer would then have what the client reads.
    let (descriptor, result) = bench.socket(connect)
    #expect(result == 0)
    func send(_ bytes: [UInt8]) async {
      let reads = server.metrics.reads
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      #expect(await bench.until { server.metrics.reads == reads + 1 })
    }
    var hello = FrameWriter()
    hello.frame(Hello())
    await send(hello.bytes)
    let decrement = AppFeature.Action.counter(.decrementButtonTapped).encoded()
    let disguised = RawClient.frame([decrement], from: 1)
    let frame = RawClient.frame([CBORValue.bytes(disguised).encoded()], from: 1)
    await send(Array(frame.dropLast(disguised.count)))
    await send(disguised)
    #expect(server.lastActions().isEmpty)
    await send(RawClient.frame([decrement], from: 2))
    #expect(server.lastActions() == ["counter.decrementButtonTapped"])
    #expect(bench.engine.state.counter.count == -1)
    close(descriptor)
    #expect(await bench.stop(server))
    bench.clean()
  }
}

/// A client that sends and receives frames.
private final class RawClient {
  private(set) var isWelcome = false
  private(set) var applied: UInt64 = 0
  private var stream: PipeStream?
  private var decoder = FrameDecoder(payloadLimit: 1 << 24)

  init(_ bench: Bench) throws {
    let stream = try PipeStream(on: bench.loop)
    try stream.connect(to: bench.path) { #expect($0 == nil) }
    try stream.startReading(onBytes: { [weak self] in self?.receive($0) }, onEnd: { _ in })
    self.stream = consume stream
    var writer = FrameWriter()
    writer.frame(Hello())
    write(writer.bytes)
  }

  func send(_ actions: [[UInt8]], from first: UInt64) { write(Self.frame(actions, from: first)) }

  static func frame(_ actions: [[UInt8]], from first: UInt64) -> [UInt8] {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .actions)) {
      $0.unsigned(first)
      $0.unsigned(0)
      for action in actions { $0.append(action.span.bytes) }
    }
    return writer.bytes
  }

  private func write(_ bytes: [UInt8]) { _ = try? stream?.write(bytes.span.bytes) }

  private func receive(_ bytes: RawSpan) {
    try? decoder.feed(bytes) { header, payload throws(WireError) in
      switch FrameKind(rawValue: header.kind) {
      case .welcome: isWelcome = true
      case .applied: applied = try UInt64(decoding: payload)
      default: break
      }
    }
  }

  func close() { stream = nil }
}
