import EventLoop
import Features
import HubCore
import Journal
import StoreHub
import Testing

/// Hubs that continue from the journal of the previous one.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RecordingTests {
  /// Otherwise the journal and the time of a start would grow without limit.
  @Test func hubsThatRestartOftenTakeSnapshots() async throws {
    let bench = try Bench()
    let directory = bench.directory + "/state"
    let log = Log(program: "test", level: .error, descriptor: -1)
    var limits = HubLimits()
    limits.snapshotInterval = 4096
    for run in 1...20 {
      let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
      let recording = try Recording.open(engine, directory: directory, log: log)
      let server = try HubServer(
        engine, limits: limits, loop: bench.loop, path: bench.path, recording: recording, log: log)
      engine.send(.todos(.addButtonTapped(text: String(repeating: "x", count: 500))))
      if run == 20 {
        #expect(await bench.until { (try? JournalReader(directory).snapshots().count) == 2 })
      }
      #expect(await bench.stop(server))
      recording.close()
    }
    #expect(try JournalReader(directory).extent().tail == 20)
    bench.clean()
  }
}
