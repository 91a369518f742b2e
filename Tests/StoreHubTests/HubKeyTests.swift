import ComposableArchitecture
import EventLoop
import Foundation
import HubCore
import RandomNumbers
import ReplicatedArchitecture
import StoreClient
import StoreHub
import Testing
import Wire

@Replicated
private struct Meeting: Equatable, Identifiable {
  let id: Int
  var title = ""
  var minutes = 15
  var attendees: Set<String> = []
}

@Replicated
private struct Planner: Equatable {
  var meetings: IdentifiedArrayOf<Meeting> = []
  var visits: SharedCounter = 0
  var motto = ""
}

/// A process with a client of the hub, whose features share its model.
private final class Process {
  let client: StoreClient<Planner, SharedChange<Planner>>
  let bench: Bench
  private let references = PersistentReferences()

  init(_ bench: Bench, pendingActions: Int = 65_536) throws {
    self.bench = bench
    let options = ReplicaOptions(
      shortestDelay: .milliseconds(5), longestDelay: .milliseconds(50), pendingActions: pendingActions)
    client = try StoreClient(sharing: Planner.self, loop: bench.loop, path: bench.path, options: options)
    client.onConnectionNotice = nil
  }

  func with<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withDependencies {
      $0.sharedModels.add(client)
      $0.persistentReferences = references
    } operation: {
      try body()
    }
  }

  func meetings() -> Shared<IdentifiedArrayOf<Meeting>> { with { Shared(wrappedValue: [], .hub(\Planner.meetings)) } }
  func visits() -> Shared<SharedCounter> { with { Shared(wrappedValue: 0, .hub(\Planner.visits)) } }
  func motto() -> Shared<String> { with { Shared(wrappedValue: "none", .hub(\Planner.motto)) } }
}

@Suite(.serialized, .timeLimit(.minutes(30))) struct HubKeyTests {
  private func engine(_ state: Planner = Planner()) -> FeatureEngine<Planner, SharedChange<Planner>> {
    FeatureEngine(
      initialState: state,
      reducer: Reduce<Planner, SharedChange<Planner>> {
        try? $1.apply(to: &$0)
        return .none
      })
  }

  @Test func theHubsValueReplacesTheDefaultWhenItArrives() async throws {
    let bench = try Bench()
    let server = try bench.serve(engine(Planner(motto: "short")))
    let process = try Process(bench)
    let motto = process.motto()
    #expect(motto.wrappedValue == "none" && motto.isLoading)
    process.client.start()
    #expect(await bench.until { motto.wrappedValue == "short" })
    #expect(!motto.isLoading && motto.loadError == nil)
    // Another reference has the value at once.
    #expect(process.motto().wrappedValue == "short")
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aChangeTakesEffectAtOnceAndReachesTheOthers() async throws {
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let (first, second) = (try Process(bench), try Process(bench))
    let (mine, theirs) = (first.meetings(), second.meetings())
    first.client.start()
    second.client.start()
    #expect(await bench.until { !mine.isLoading && !theirs.isLoading })
    _ = mine.withLock { $0.append(Meeting(id: 1, title: "daily")) }
    #expect(mine.wrappedValue.map(\.title) == ["daily"] && engine.state.meetings.isEmpty)
    #expect(await bench.until { theirs.wrappedValue == mine.wrappedValue })
    #expect(engine.state.meetings == mine.wrappedValue)
    first.client.close()
    second.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Neither has seen the other's work when it makes its own.
  @Test func twoProcessesThatChangeDifferentElementsKeepTheirWork() async throws {
    let bench = try Bench()
    let before = Planner(meetings: [
      Meeting(id: 1, title: "daily", attendees: ["ann"]), Meeting(id: 2, title: "weekly"),
      Meeting(id: 3, title: "review"),
    ])
    let engine = engine(before)
    let server = try bench.serve(engine)
    let (first, second) = (try Process(bench), try Process(bench))
    let (mine, theirs) = (first.meetings(), second.meetings())
    first.client.start()
    second.client.start()
    #expect(await bench.until { mine.wrappedValue.count == 3 && theirs.wrappedValue.count == 3 })

    mine.withLock {
      $0.append(Meeting(id: 10, title: "mine"))
      $0[id: 1]?.title = "standup"
      $0[id: 1]?.attendees.insert("bob")
      $0.remove(id: 3)
    }
    theirs.withLock {
      $0.append(Meeting(id: 20, title: "theirs"))
      $0[id: 1]?.minutes = 5
      $0[id: 1]?.attendees.insert("eve")
      $0[id: 2]?.title = "monthly"
      $0[id: 3]?.title = "gone"
    }
    let wanted: IdentifiedArrayOf<Meeting> = [
      Meeting(id: 1, title: "standup", minutes: 5, attendees: ["ann", "bob", "eve"]), Meeting(id: 2, title: "monthly"),
    ]
    #expect(
      await bench.until {
        mine.wrappedValue == theirs.wrappedValue && mine.wrappedValue == engine.state.meetings
          && first.client.pendingActionCount + second.client.pendingActionCount == 0
      })
    #expect(engine.state.meetings.filter { $0.id < 10 } == wanted)
    #expect(Set(engine.state.meetings.ids.suffix(2)) == [10, 20])
    first.client.close()
    second.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func theHubsOrderDecidesAboutOneField() async throws {
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let (first, second) = (try Process(bench), try Process(bench))
    let (mine, theirs) = (first.motto(), second.motto())
    first.client.start()
    second.client.start()
    #expect(await bench.until { !mine.isLoading && !theirs.isLoading })
    mine.withLock { $0 = "a" }
    theirs.withLock { $0 = "b" }
    #expect(mine.wrappedValue == "a" && theirs.wrappedValue == "b")
    #expect(
      await bench.until {
        engine.revision == 2 && mine.wrappedValue == theirs.wrappedValue && mine.wrappedValue == engine.state.motto
      })
    first.client.close()
    second.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Each thread changes the value that its process shows at that time, whatever the hub sends meanwhile.
  @Test func changesOfManyThreadsAllCount() async throws {
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let processes = [try Process(bench), try Process(bench), try Process(bench)]
    let visits = processes.map { $0.visits() }
    let meetings = processes.map { $0.meetings() }
    for process in processes { process.client.start() }
    let work = Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<9 {
          let (visits, meetings) = (visits[index % 3], meetings[index % 3])
          group.addTask {
            for number in 0..<100 {
              visits.withLock { $0 += 1 }
              _ = meetings.withLock { $0.append(Meeting(id: index * 100 + number)) }
            }
          }
        }
      }
    }
    #expect(
      await bench.until {
        visits.allSatisfy { $0.wrappedValue == 900 } && meetings.allSatisfy { $0.wrappedValue.count == 900 }
      })
    await work.value
    #expect(engine.state.visits == 900 && engine.state.meetings.count == 900)
    #expect(await bench.until { meetings.allSatisfy { $0.wrappedValue == engine.state.meetings } })
    for process in processes { process.client.close() }
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Each process edits elements of its own at random, so its value must contain exactly its own work on these, whatever
  /// the others do at the same time.
  @Test(arguments: [UInt64.random(in: 0...(.max)), 1, 2]) func randomEditsOfDifferentElementsAreAllKept(
    seed: UInt64
  ) async throws {
    var random = SplitMix(seed: seed)
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let processes = [try Process(bench), try Process(bench), try Process(bench)]
    let meetings = processes.map { $0.meetings() }
    var own: [[Int: Meeting]] = [[:], [:], [:]]
    for process in processes { process.client.start() }
    for step in 0..<600 {
      let index = Int.random(in: 0..<3, using: &random)
      let ids = own[index].keys.sorted()
      meetings[index].withLock { meetings in
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          let id = step * 3 + index
          let meeting = Meeting(id: id, title: "\(step)")
          own[index][id] = meeting
          meetings.insert(meeting, at: Int.random(in: 0...meetings.count, using: &random))
        case 2:
          guard let id = ids.randomElement(using: &random) else { return }
          own[index][id] = nil
          meetings.remove(id: id)
        case 3:
          guard meetings.count > 1 else { return }
          let (from, to) = (
            Int.random(in: 0..<meetings.count, using: &random), Int.random(in: 0...meetings.count, using: &random)
          )
          meetings.move(fromOffsets: [from], toOffset: to)
        default:
          guard let id = ids.randomElement(using: &random) else { return }
          let minutes = Int.random(in: 0..<100, using: &random)
          own[index][id]?.minutes = minutes
          own[index][id]?.attendees.insert("\(minutes)")
          meetings[id: id]?.minutes = minutes
          meetings[id: id]?.attendees.insert("\(minutes)")
        }
      }
      for id in own[index].keys { #expect(meetings[index].wrappedValue[id: id] == own[index][id], "seed \(seed)") }
      // Perhaps nothing is due, and nothing is to come before the next edit.
      if Bool.random(using: &random) { bench.loop.run(.noWait) }
    }
    #expect(
      await bench.until {
        processes.allSatisfy { $0.client.pendingActionCount == 0 }
          && meetings.allSatisfy { $0.wrappedValue == engine.state.meetings }
      }, "seed \(seed)")
    let wanted = own.reduce(into: [:]) { $0.merge($1) { _, _ in preconditionFailure("an id was used twice") } }
    #expect(Dictionary(uniqueKeysWithValues: engine.state.meetings.map { ($0.id, $0) }) == wanted, "seed \(seed)")
    for process in processes { process.client.close() }
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func theWholeModelCanBeShared() async throws {
    let bench = try Bench()
    let engine = engine(Planner(motto: "short"))
    let server = try bench.serve(engine)
    let process = try Process(bench)
    let planner = process.with { Shared(wrappedValue: Planner(), .hub(Planner.self) { $0 }) }
    process.client.start()
    #expect(await bench.until { planner.wrappedValue.motto == "short" })
    planner.withLock {
      $0.motto = "shorter"
      $0.visits += 2
      $0.meetings = [Meeting(id: 1)]
    }
    let wanted = Planner(meetings: [Meeting(id: 1)], visits: 2, motto: "shorter")
    #expect(planner.wrappedValue == wanted)
    #expect(await bench.until { engine.state == wanted && process.client.pendingActionCount == 0 })
    // One change for each field.
    #expect(planner.wrappedValue == wanted && engine.revision == 3)
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func changesMadeWhileTheHubIsAwayAreSentLater() async throws {
    let bench = try Bench()
    let process = try Process(bench)
    let meetings = process.meetings()
    process.client.start()
    #expect(await bench.until { meetings.loadError != nil })
    let failure = try #require(meetings.loadError as? HubUnavailable)
    #expect(meetings.isLoading && failure.reason.contains("none is running there") && !failure.isFinal)
    _ = meetings.withLock { $0.append(Meeting(id: 7, title: "offline")) }
    #expect(meetings.wrappedValue.ids == [7])

    let engine = engine(Planner(meetings: [Meeting(id: 1, title: "before")]))
    let server = try bench.serve(engine)
    #expect(await bench.until { engine.state.meetings.ids == [1, 7] && !meetings.isLoading })
    #expect(meetings.loadError == nil)
    #expect(await bench.until { meetings.wrappedValue == engine.state.meetings })

    #expect(await bench.stop(server))
    #expect(await bench.until { meetings.isLoading && meetings.loadError != nil })
    #expect(meetings.wrappedValue.ids == [1, 7])
    process.client.close()
    bench.clean()
  }

  @Test func aRequestToSaveWaitsForTheHub() async throws {
    let bench = try Bench()
    let process = try Process(bench)
    let motto = process.motto()
    process.client.start()
    motto.withLock { $0 = "kept" }
    var isSaved = false
    let saved = Task {
      try await motto.save()
      isSaved = true
    }
    let engine = engine()
    let server = try bench.serve(engine)
    #expect(!isSaved)
    #expect(await bench.until { isSaved })
    try await saved.value
    #expect(engine.state.motto == "kept")
    #expect(motto.saveError == nil)
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aRequestToSaveDoesNotWaitForLaterChanges() async throws {
    let bench = try Bench()
    let process = try Process(bench)
    let visits = process.visits()
    var isSaved = false
    var furtherCount = 0
    let engine = FeatureEngine(
      initialState: Planner(),
      reducer: Reduce<Planner, SharedChange<Planner>> {
        try? $1.apply(to: &$0)
        // Whenever an outcome arrives, the next change is on its way.
        if !isSaved {
          furtherCount += 1
          visits.withLock { $0 += 1 }
        }
        return .none
      })
    let server = try bench.serve(engine)
    process.client.start()
    #expect(await bench.until { !visits.isLoading })
    visits.withLock { $0 += 1 }
    let saved = Task {
      try await visits.save()
      isSaved = true
    }
    #expect(await bench.until { isSaved })
    try await saved.value
    #expect(furtherCount > 0)
    #expect(await bench.until { engine.state.visits == visits.wrappedValue })
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aRequestToLoadWaitsForTheHub() async throws {
    let bench = try Bench()
    let process = try Process(bench)
    process.client.start()
    let key = process.with { HubKey<Planner, String>.hub(\Planner.motto) }
    let required = Task { try await Shared(require: key) }
    let server = try bench.serve(engine(Planner(motto: "there")))
    var motto: Shared<String>?
    Task { motto = try await required.value }
    #expect(await bench.until { motto?.wrappedValue == "there" })
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// The local value returns to the hub's, and the error says why.
  @Test func aChangeThatIsNotTakenIsUndone() async throws {
    let bench = try Bench()
    let process = try Process(bench, pendingActions: 0)
    let motto = process.motto()
    let server = try bench.serve(engine(Planner(motto: "stays")))
    process.client.start()
    #expect(await bench.until { motto.wrappedValue == "stays" })
    motto.withLock { $0 = "lost" }
    #expect(await bench.until { motto.saveError != nil && motto.wrappedValue == "stays" })
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aRequestToSaveFailsWithTheChangesBeforeIt() async throws {
    let bench = try Bench()
    let process = try Process(bench, pendingActions: 0)
    let motto = process.motto()
    let server = try bench.serve(engine(Planner(motto: "stays")))
    process.client.start()
    #expect(await bench.until { motto.wrappedValue == "stays" })
    var failure: (any Error)?
    motto.withLock { $0 = "lost" }
    Task { do { try await motto.save() } catch { failure = error } }
    #expect(await bench.until { failure != nil })
    #expect(motto.saveError != nil)
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A number has no parts: a thread that adds to it must see what its process has added before.
  @Test func aThreadSeesTheEarlierChangesOfItsProcess() async throws {
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let (first, second) = (try Process(bench), try Process(bench))
    let (motto, visits) = (first.motto(), second.visits())
    let meetings = second.meetings()
    let theirs = second.motto()
    first.client.start()
    second.client.start()
    #expect(await bench.until { !motto.isLoading && !meetings.isLoading && !theirs.isLoading })
    let work = Task.detached {
      // Only this process writes the text, and values of the hub arrive at the same time.
      for _ in 0..<300 { motto.withLock { $0 += "x" } }
    }
    var count = 0
    #expect(
      await bench.until {
        count += 1
        if count < 200 { visits.withLock { $0 += 1 } }
        return count >= 200 && engine.state.motto.count == 300
      })
    await work.value
    #expect(await bench.until { theirs.wrappedValue.count == 300 })
    #expect(motto.wrappedValue == String(repeating: "x", count: 300))
    first.client.close()
    second.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aPartThatDoesNotExistHasItsInitialValue() async throws {
    let bench = try Bench()
    let engine = engine()
    let server = try bench.serve(engine)
    let process = try Process(bench)
    let title = process.with { SharedReader(wrappedValue: "?", .hub(Planner.self) { $0.meetings[id: 5].title }) }
    let meetings = process.meetings()
    process.client.start()
    #expect(await bench.until { !title.isLoading && !meetings.isLoading })
    #expect(title.wrappedValue == "?")
    _ = meetings.withLock { $0.append(Meeting(id: 5, title: "five")) }
    #expect(await bench.until { title.wrappedValue == "five" })
    _ = meetings.withLock { $0.remove(id: 5) }
    #expect(await bench.until { title.wrappedValue == "?" })
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func theLastReferenceEndsTheSubscription() async throws {
    let bench = try Bench()
    let server = try bench.serve(engine())
    let process = try Process(bench)
    process.client.start()
    do {
      let motto = process.motto()
      #expect(await bench.until { !motto.isLoading })
      motto.withLock { $0 = "sent although nobody refers to it any more" }
    }
    let motto = process.motto()
    #expect(await bench.until { motto.wrappedValue.hasPrefix("sent") })
    process.client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func withoutAHubTheValuesOfATestAreInMemory() {
    @Shared(.hub(\Planner.motto)) var motto = "first"
    @Shared(.hub(\Planner.motto)) var other = "second"
    $motto.withLock { $0 = "changed" }
    #expect(other == "changed" && $motto.saveError == nil && !$motto.isLoading)
  }

  @Test func aProgramThatNamesNoHubIsTold() {
    withDependencies {
      $0.context = .live
    } operation: {
      @Shared(.hub(\Planner.motto)) var motto = "first"
      let error = $motto.loadError as? NoHubForModel
      #expect(error?.model == "Planner" && error?.description.contains("sharedModels.add") == true)
    }
  }
}
