import EventLoop
import Glibc
import HubCore
import Testing
import Wire

@testable import StoreHub

/// The return of memory after peaks, which any client can cause as often as it likes.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MemoryReleaseTests {
  @Test func memoryIsReturnedForAHundredthOfTheTime() {
    var release = MemoryRelease()
    #expect(release.delay(at: 5) == nil)
    release.note(from: 0, to: 400_000_000)
    #expect(release.delay(at: 400_000_000) == .seconds(40))
    #expect(release.delay(at: 40_399_999_999) == .nanoseconds(1))
    #expect(release.delay(at: 40_400_000_000) == nil)
    // A quick one does not follow at once either.
    release.note(from: 41_000_000_000, to: 41_000_001_000)
    #expect(release.delay(at: 41_000_001_000) == .seconds(1))
    #expect(release.count == 2)
  }

  @Test func aClientThatCausesPeaksDoesNotHoldTheLoop() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.heldPeakBytes = 100_000
    let server = try bench.serve(limits: limits)
    let shell = server.shell
    let start = bench.loop.nanoseconds
    func causePeak() async throws {
      // A hello, the head of a frame, and half of that frame.
      var writer = FrameWriter()
      writer.frame(Hello())
      var bytes = writer.bytes
      FrameHeader(kind: .actions, length: 1 << 20).append(to: &bytes)
      bytes += [UInt8](repeating: 0, count: 500_000)
      let stream = try PipeStream(on: bench.loop)
      try stream.connect(to: bench.path) { #expect($0 == nil) }
      _ = try stream.write(bytes.span.bytes)
      #expect(await bench.until { server.metrics.heldBytes >= 500_000 })
      stream.close()
      #expect(await bench.until { server.connectionCount == 0 })
    }
    for _ in 1...20 { try await causePeak() }
    let seconds = (bench.loop.nanoseconds - start) / 1_000_000_000
    #expect(shell.memoryRelease.count >= 1 && shell.memoryRelease.count <= 1 + Int(seconds))
    // The last peak is not forgotten. On a slow machine, memory is returned for each of them at once.
    for _ in 1...20 {
      let count = shell.memoryRelease.count
      try await causePeak()
      guard shell.memoryRelease.count == count else { continue }
      #expect(await bench.until { shell.memoryRelease.count > count })
      break
    }
    #expect(await bench.stop(server))
    bench.clean()
  }
}
