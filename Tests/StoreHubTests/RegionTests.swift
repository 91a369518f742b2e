import ComposableArchitecture
import EventLoop
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import Testing
import Wire

@testable import StoreHub

/// The calendar, the time zone and the locale of a hub, in predictions and in replays of its journal.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RegionTests {
  @Reducer
  struct Days {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var names: [String] = []
    }

    @Replicated
    enum Action: Sendable { case noted }

    @Dependency(\.calendar) var calendar
    @Dependency(\.locale) var locale

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        // Midday, in summer.
        let hour = calendar.component(.hour, from: Date(timeIntervalSince1970: 1_720_008_000))
        state.names.append("\(hour) \(locale.identifier)")
        return .none
      }
    }
  }

  private func engine() -> FeatureEngine<Days.State, Days.Action> {
    FeatureEngine(initialState: Days.State(), reducer: Days())
  }

  /// Serves a journal, and returns what a client has predicted for an action.
  private func serve(_ bench: Bench, _ region: RegionalSettings) async throws -> [String] {
    let (engine, log) = (engine(), Log(program: "test", level: .error))
    let server = try HubServer(
      engine, region: region, loop: bench.loop, path: bench.path,
      recording: try Recording.open(engine, directory: bench.directory + "/state", log: log), log: log)
    let client = try StoreClient<Days.State, Days.Action>(
      loop: bench.loop, path: bench.path, options: ReplicaOptions(), predictingWith: Days())
    client.start()
    #expect(await bench.until { client.store != nil })
    let known = engine.state.names.count
    client.store?.send(.noted)
    let predicted = client.store?.names ?? []
    #expect(engine.state.names.count == known)
    #expect(await bench.until { client.pendingActionCount == 0 && server.metrics.unstoredTurns == 0 })
    #expect(client.store?.names == engine.state.names)
    client.close()
    #expect(await bench.stop(server))
    return predicted
  }

  @Test func predictionsAndReplaysHaveThatOfEachStart() async throws {
    let bench = try Bench()
    let first = try await serve(bench, RegionalSettings(timeZone: "Europe/Berlin", locale: "de_DE"))
    #expect(first == ["14 de_DE"])
    let all = try await serve(bench, RegionalSettings(timeZone: "Asia/Tokyo"))
    #expect(all == ["14 de_DE", "21 en_US_POSIX"])
    var replay = JournalReplay(source: try JournalSource(bench.directory + "/state"))
    let summary = try replay.run(engine()) { _ in
    } onProgress: { _, _ in
    }
    #expect(summary.actions == 2 && summary.differences == 0)
    bench.clean()
  }

  /// A node of a cluster tells it to its clients before its first turn.
  @Test func aReplicatedJournalHasThatOfItsLastTurn() async throws {
    let bench = try Bench()
    let berlin = RegionalSettings(timeZone: "Europe/Berlin", locale: "de_DE")
    _ = try await serve(bench, berlin)
    for (isReplicated, region) in [(true, berlin), (false, nil)] {
      let recording = try Recording.open(
        engine(), directory: bench.directory + "/state", isReplicated: isReplicated,
        log: Log(program: "test", level: .error))
      #expect(recording.history.region == region)
      recording.close()
    }
    bench.clean()
  }

  @Test func aHubDoesNotStartWithAnUnknownOne() throws {
    let bench = try Bench()
    let error = #expect(throws: HubError.self) {
      try HubServer(
        engine(), region: RegionalSettings(calendar: "julian"), loop: bench.loop, path: bench.path,
        log: Log(program: "test", level: .error))
    }
    #expect(error?.description.hasPrefix("there is no calendar 'julian'") == true)
    bench.clean()
  }
}
