import ComposableArchitecture
import HubCore
import IdentifiedCollections
import Synchronization
import Testing
import TurnLog
import Wire

/// The turn that gives a converted state its revision.
@Suite struct ConversionTests {
  /// A default value that differs each time, as those of dates and random ids do.
  private static let stamps = Atomic(0)

  fileprivate static func stamp() -> Int { stamps.add(1, ordering: .relaxed).newValue }

  enum Old {
    @Replicated
    struct Task: Equatable, Identifiable {
      var id: Int
      var title = ""
    }

    @Replicated
    struct Owner: Equatable {
      var name = ""
      var rooms: [String: Int] = [:]
    }

    @Replicated
    struct State: Equatable {
      var count = 0
      var owner = Owner()
      var tasks: IdentifiedArrayOf<Task> = []
      var marks: Set<Int> = []
      var notes: [Int: [String: Int]] = [:]
      var next: Owner? = nil
    }
  }

  enum New {
    @Replicated
    struct Task: Equatable, Identifiable {
      var stamp = ConversionTests.stamp()
      var id: Int
      var title = ""
    }

    @Replicated
    struct Owner: Equatable {
      var stamps = ["first": ConversionTests.stamp()]
      var name = ""
      var rooms: [String: Int] = [:]
    }

    @Replicated
    struct State: Equatable {
      var count = 0
      var owner = Owner()
      var tasks: IdentifiedArrayOf<Task> = []
      var marks: Set<Int> = []
      var notes: [Int: [String: Int]] = [:]
      var next: Owner? = nil
      var created = ConversionTests.stamp()
    }
  }

  @Replicated
  enum Action: Equatable {
    case increment
  }

  private static let old = Schema(state: Old.State.self, action: Action.self)
  private static let oldState = Old.State(
    count: 3, owner: Old.Owner(name: "Ann", rooms: ["a": 1]), tasks: [Old.Task(id: 5, title: "five")], marks: [7, 8],
    notes: [1: ["b": 2]], next: Old.Owner(name: "Bob"))

  private func engine() -> FeatureEngine<New.State, Action> {
    FeatureEngine(initialState: New.State(), reducer: Reduce { _, _ in .none })
  }

  private func restored(
    _ engine: FeatureEngine<New.State, Action>, replacementLimit: Int = HubLimits().stateBytes
  ) throws -> Recovery {
    var recovery = Recovery(engine: engine, replacementLimit: replacementLimit)
    let bytes = Self.oldState.encoded()
    try recovery.restore(snapshot: bytes.span.bytes, writtenFor: Self.old, at: 20, position: 9)
    return recovery
  }

  /// The snapshot of the conversion is damaged: the one before it is of the older schema, so the state is converted again,
  /// with other default values. Clients have the first ones.
  @Test func aRepeatedConversionHasTheValuesOfTheFirst() throws {
    let first = engine()
    var recovery = try restored(first)
    let turn = try #require(try recovery.renumber(at: 1))
    #expect(first.state.tasks[id: 5]?.title == "five")

    let second = engine()
    recovery = try restored(second)
    #expect(second.state != first.state)
    try recovery.apply(turn, writtenFor: second.schema)
    #expect(second.state == first.state)
    #expect(second.revision == 21)
  }

  @Replicated
  fileprivate struct Renamed: Equatable {
    @Replicated(was: "count") var total = 0
    @Replicated(was: "marks") var labels: Set<Int> = []
    var next: Old.Owner? = nil
  }

  /// Turns of the older version follow the snapshot, as after a crash.
  @Test func aRenamedFieldHasTheStoredValue() throws {
    let engine = FeatureEngine<Renamed, Action>(initialState: Renamed(), reducer: Reduce { _, _ in .none })
    var recovery = Recovery(engine: engine, replacementLimit: HubLimits().stateBytes)
    let bytes = Self.oldState.encoded()
    try recovery.restore(snapshot: bytes.span.bytes, writtenFor: Self.old, at: 20, position: 9)
    let turn = LoggedTurn(position: 10, baseRevision: 20, revision: 21, time: 1, delta: [0xa1, 0x00, 0x04])
    try recovery.apply(turn, writtenFor: Self.old)
    _ = try recovery.renumber(at: 1)
    #expect(engine.state == Renamed(total: 4, labels: [7, 8], next: Old.Owner(name: "Bob")))
    // Nothing of these is reported as dropped.
    #expect(!recovery.droppedFields.contains { $0.contains("count") || $0.contains("marks") })
    #expect(recovery.droppedFields.contains { $0.contains("owner") })
  }

  /// A log may be unable to store it as one turn.
  @Test func theTurnOfALargeStateChangesNothing() throws {
    let engine = engine()
    let state = engine.state
    var recovery = try restored(engine, replacementLimit: 10)
    let converted = engine.state
    let turn = try #require(try recovery.renumber(at: 1))
    #expect(turn.delta == [0xa0] && turn.revision == 21)
    #expect(engine.state == converted && engine.state != state)
  }

  /// A hub that waits for the time of the conversion follows the turns of the older version, for as long as it takes.
  @Test func aRehearsalChangesNothing() throws {
    func turn(_ position: UInt64, count: UInt8) -> LoggedTurn {
      LoggedTurn(
        position: position, baseRevision: position + 10, revision: position + 11, time: 1, delta: [0xa1, 0x00, count])
    }
    let engine = FeatureEngine<Renamed, Action>(initialState: Renamed(), reducer: Reduce { _, _ in .none })
    var recovery = Recovery(engine: engine, replacementLimit: HubLimits().stateBytes)
    let bytes = Self.oldState.encoded()
    try recovery.restore(snapshot: bytes.span.bytes, writtenFor: Self.old, at: 20, position: 9)
    try recovery.rehearse()
    try recovery.apply(turn(10, count: 4), writtenFor: Self.old)
    try recovery.foldForeignState()
    try recovery.apply(turn(11, count: 5), writtenFor: Self.old)
    #expect(recovery.foreignSchema == Self.old && !recovery.isConverted)
    let conversion = try #require(try recovery.renumber(at: 1))
    #expect(engine.state.total == 5 && recovery.isConverted && recovery.foreignSchema == nil)
    #expect(conversion.position == 12 && conversion.revision == 23)
  }

  @Test func aRehearsalRefusesAStateThatIsTooLargeForATurn() throws {
    var recovery = try restored(engine(), replacementLimit: 10)
    #expect(throws: RecoveryError.tooLarge(byteLimit: 10)) { try recovery.rehearse() }
  }

  /// A part of a new struct is not its value.
  @Test func anIncompleteNewStructIsRefused() throws {
    let schema = engine().schema
    // The field `owner`, with its field `name` alone.
    let bytes: [UInt8] = [0xa1, 0x01, 0xa1, 0x01, 0x60]
    var change = CBORDecoder(bytes.span.bytes)
    #expect(throws: WireError.self) {
      try SchemaValues(schema).applying(&change, to: .map([]), of: schema.state)
    }
  }

  /// A tool has no default values at all.
  @Test func theTurnIsEnoughForAToolWithoutTheFeature() throws {
    let engine = engine()
    var recovery = try restored(engine)
    let turn = try #require(try recovery.renumber(at: 1))
    let values = SchemaValues(engine.schema)
    var change = CBORDecoder(turn.delta.span.bytes)
    let value = try values.applying(&change, to: .map([]), of: engine.schema.state)
    try change.finish()
    #expect(value.encoded() == engine.state.encoded())
  }
}
