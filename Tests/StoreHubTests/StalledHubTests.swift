import EventLoop
import Glibc
import HubCore
import StoreHub
import Testing
import Wire

/// A hub whose process was stopped for longer than its time limits.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StalledHubTests {
  @Test func whatCameInMeanwhileIsReadBeforeATimeLimitTakesEffect() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.helloTimeout = .milliseconds(20)
    let server = try bench.serve(limits: limits)

    var kinds: [FrameKind] = []
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    let stream = try PipeStream(on: bench.loop)
    try stream.connect(to: bench.path) { #expect($0 == nil) }
    #expect(await bench.until { server.connectionCount == 1 })
    try stream.startReading(
      onBytes: { bytes in
        try? decoder.feed(bytes) { header, _ in kinds.append(FrameKind(rawValue: header.kind) ?? .error) }
      }, onEnd: { _ in })
    var writer = FrameWriter()
    writer.frame(Hello())
    let hello = writer.bytes
    _ = try stream.write(hello.span.bytes)
    // The loop does not run until the time limit has passed.
    usleep(60_000)
    #expect(await bench.until { !kinds.isEmpty })
    #expect(kinds == [.welcome])
    stream.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
