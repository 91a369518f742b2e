import ComposableArchitecture
import EventLoop
import Foundation
import HubCore
import Journal
import ReplicaCore
import StoreClient
import Testing
import TurnLog
import Wire

@testable import StoreHub

/// A journal without the words of its users, as `storectl journal anonymise` writes it.
@Suite(.serialized, .timeLimit(.minutes(30))) struct AnonymisedJournalTests {
  @Reducer
  struct Guestbook {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var entries: IdentifiedArrayOf<Entry> = []
      var counts: [String: Int] = [:]
      var tags: Set<String> = []
      var mood = Mood.calm
      var initials: [Character] = []
      var line = "nobody was here"
      var alert: AlertState<Never>?
    }

    @Replicated
    struct Entry: Equatable, Identifiable, Sendable {
      let id: String
      var text: String
      var author: String
    }

    enum Mood: String, Equatable, Sendable { case calm, cheerful }

    @Replicated
    enum Action: Sendable {
      case signed(id: String, text: String)
      case moodChanged(Mood)
      case initialled(Character)
    }

    @Dependency(\.sender) var sender

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .signed(let id, let text):
          guard !text.isEmpty else { throw Refusal("an empty entry of \(id)") }
          state.entries.append(Entry(id: id, text: text.trimmingCharacters(in: .whitespaces), author: name))
          for word in text.split(separator: " ") { state.counts[String(word), default: 0] += 1 }
          state.tags.formUnion(text.split(separator: " ").map(String.init))
          state.line = "\(name) was here: \(text)"
          state.alert = AlertState { TextState("Welcome, \(id)!") }
        case .moodChanged(let mood): state.mood = mood
        case .initialled(let initial): state.initials.append(initial)
        }
        return .none
      }
    }

    private var name: String { sender.client?.name ?? "nobody" }
  }

  private static let texts = [
    "almond milk  ", " Grüße aus Köln, 12 times", "東京都 almond milk 20351", "王伟, १२३४५", "a b milk", "milk",
  ]

  private func engine() -> FeatureEngine<Guestbook.State, Guestbook.Action> {
    FeatureEngine(initialState: Guestbook.State(), reducer: Guestbook())
  }

  /// Writes a journal with texts of a user, and returns the last state.
  private func write(
    _ directory: String, _ bench: Bench, _ texts: [String] = texts, initials: [Character] = []
  ) async throws -> Guestbook.State {
    let (engine, log) = (engine(), Log(program: "test", level: .error, descriptor: -1))
    let server = try HubServer(
      engine, loop: bench.loop, path: bench.path,
      recording: try Recording.open(engine, directory: directory, log: log), log: log)
    let client = try StoreClient<Guestbook.State, Guestbook.Action>(
      loop: bench.loop, path: bench.path, options: ReplicaOptions(name: "Rosalind"))
    client.start()
    #expect(await bench.until { client.store != nil })
    client.store?.send(.signed(id: "Secretive", text: ""))
    client.store?.send(.moodChanged(.cheerful))
    for (number, text) in texts.enumerated() {
      client.store?.send(.signed(id: "visitor-\(number)", text: text))
      #expect(await bench.until { client.pendingActionCount == 0 })
    }
    for initial in initials { client.store?.send(.initialled(initial)) }
    #expect(await bench.until { client.pendingActionCount == 0 })
    let state = engine.state
    client.close()
    #expect(await bench.stop(server))
    return state
  }

  private func state(_ directory: String) throws -> Guestbook.State {
    let engine = engine()
    let log = Log(program: "test", level: .error, descriptor: -1)
    let recording = try Recording.open(engine, directory: directory, log: log)
    recording.close()
    return engine.state
  }

  private func replay(_ directory: String) throws -> JournalReplay.Summary {
    var replay = JournalReplay(source: try JournalSource(directory))
    return try replay.run(engine()) { difference in
      Issue.record("revision \(difference.turn.revision)")
    } onProgress: { _, _ in
    }
  }

  @Test func aCopyVerifiesAndReplaysWithoutTheWords() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let (source, target) = (bench.directory + "/state", bench.directory + "/copy")
    let before = try await write(source, bench)
    let copy = try JournalTool.anonymise(source, to: target)
    #expect(copy.revision == 7 && copy.turns >= 7)
    #expect(try JournalTool.verify(target).isSound)
    let summary = try replay(target)
    #expect(summary.differences == 0 && summary.actions == 7)
    let after = try state(target)
    #expect(after.entries.count == 6 && after.mood == .cheerful)
    #expect(after.entries.map(\.text.utf8.count) == before.entries.map(\.text.utf8.count))
    #expect(after.counts.values.sorted() == before.counts.values.sorted())
    #expect(after.line.contains(" was here: ") && !after.line.contains("milk"))
    // Equal words stay equal, also inside of others' texts.
    let milk = try #require(after.entries.last?.text)
    #expect(milk != "milk" && after.entries.allSatisfy { $0.text.contains(milk) || $0.text.contains(",") })
    #expect(after.counts[milk] == 4 && after.tags.contains(milk))
    let bytes = try Data(contentsOf: URL(filePath: target + "/journal.db"))
    // Shorter ones may also be bytes of ids.
    for word in [
      "almond", "milk", "Grüße", "Köln", "times", "東京都", "20351", "王伟", "१२३४५", "Rosalind", "visitor", "Secretive",
    ] {
      #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) remains")
    }
    #expect(bytes.range(of: Data("Welcome, ".utf8)) != nil)
  }

  /// Words that are equal, although their code points differ, stay equal: the reducer has taken them for one key.
  @Test func equalWordsOfOtherCodePointsStayEqual() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let (source, target) = (bench.directory + "/state", bench.directory + "/copy")
    let texts = [
      "caf\u{e9} Zo\u{eb}", "cafe\u{301}", "Zoe\u{308} caf\u{e9} \u{c5} \u{2764}\u{fe0f}", "A\u{30a} \u{212b}",
    ]
    let before = try await write(source, bench, texts)
    #expect(before.counts.count == 4)
    _ = try JournalTool.anonymise(source, to: target)
    #expect(try JournalTool.verify(target).isSound)
    #expect(try replay(target).differences == 0)
    let after = try state(target)
    #expect(after.counts.values.sorted() == before.counts.values.sorted())
    #expect(after.counts["\u{2764}\u{fe0f}"] == 1)
    #expect(!after.counts.keys.contains { ["caf\u{e9}", "Zo\u{eb}", "\u{c5}"].contains($0) })
  }

  /// A character that is a word, of several code points, remains one character.
  @Test func charactersRemainCharacters() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let (source, target) = (bench.directory + "/state", bench.directory + "/copy")
    let initials: [Character] = [
      "x", "東", "\u{915}\u{93f}", "\u{915}\u{94d}\u{200d}\u{937}", "\u{1100}\u{1161}\u{11a8}", "e\u{301}\u{323}",
      "👩‍👩‍👧‍👦", "1\u{fe0f}\u{20e3}",
    ]
    let before = try await write(source, bench, initials: initials)
    #expect(before.initials == initials)
    _ = try JournalTool.anonymise(source, to: target)
    #expect(try JournalTool.verify(target).isSound)
    #expect(try replay(target).differences == 0)
    let after = try state(target)
    #expect(after.initials.map(\.utf8.count) == initials.map(\.utf8.count))
    #expect(zip(after.initials, initials).map { $0 == $1 } == [true, false, false, false, false, false, true, false])
  }

  /// A history that begins with an imported state: all its words may be those of users.
  @Test func theWordsOfAnImportedStateAreReplaced() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let (source, target) = (bench.directory + "/state", bench.directory + "/copy")
    let before = try await write(bench.directory + "/first", bench)
    let schema = Schema(state: Guestbook.State.self, action: Guestbook.Action.self)
    try JournalTool.begin(source, schema: schema, state: before.encoded(), revision: 7, time: 1)
    #expect(try JournalTool.anonymise(source, to: target).words > 0)
    #expect(try JournalTool.verify(target).isSound)
    let after = try state(target)
    #expect(after.entries.map(\.text.utf8.count) == before.entries.map(\.text.utf8.count))
    let bytes = try Data(contentsOf: URL(filePath: target + "/journal.db"))
    for word in ["milk", "Köln", "王伟", "Rosalind", "visitor"] {
      #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) remains")
    }
  }

  @Test func keptWordsRemain() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let (source, target) = (bench.directory + "/state", bench.directory + "/copy")
    let before = try await write(source, bench)
    _ = try JournalTool.anonymise(source, to: target, keeping: ["milk", "Rosalind"])
    let after = try state(target)
    #expect(after.entries.last?.text == "milk" && after.entries.map(\.author) == before.entries.map(\.author))
    #expect(throws: LogError.self) { try JournalTool.anonymise(source, to: target) }
  }
}

extension AnonymisedJournalTests.Guestbook.Mood: WireValue, Replicated {}
