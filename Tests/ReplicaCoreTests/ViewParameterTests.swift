import ComposableArchitecture
import HubCore
import IdentifiedCollections
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The parameters of views, as clients of other releases than the hub's have them, and as users type them.
@Suite struct ViewParameterTests {
  private typealias ViewWorld = World<Chores.State, Chores.Action>
  private typealias Rows = IdentifiedArrayOf<Chores.Chore>

  /// A choice whose fields have other keys than those of `Chores.Choice`.
  @Replicated
  struct SwappedChoice: Equatable {
    var isDone: Bool
    @Replicated(was: "owner")
    var user: UInt32
  }

  /// A choice whose bytes are also those of a `Chores.Choice`.
  @Replicated
  struct Bounds: Equatable {
    var first: UInt32
    var isOpen: Bool
  }

  private func world(_ views: StateViews<Chores.State> = Chores.views()) throws -> ViewWorld {
    let record = StateRecord<Chores.State>()
    let world = ViewWorld(
      seed: 1, clientCount: 1,
      engine: FeatureEngine(
        initialState: Chores.State(), reducer: Recorded(base: Chores(), record: record), views: views),
      limits: HubLimits(), options: ReplicaOptions(), toolCount: 0, record: record
    ) { _, _ in .setNote("") }
    for owner in [1, 2] as [UInt32] { try world.send(.add(owner: owner, title: "of \(owner)"), from: world.clients[0]) }
    return world
  }

  private func mirror(_ name: ViewName<Rows>, in world: ViewWorld) throws -> TypedMirror<Rows> {
    let mirror = TypedMirror<Rows>()
    world.clients[0].replica.subscribe(
      mirror, to: name.reference, schema: Schema(state: Rows.self, action: Never.self))
    try world.settle()
    return mirror
  }

  /// Without the mapping the hub would take the value of one field for that of another.
  @Test func aParameterOfAnotherReleaseIsMappedByName() throws {
    let world = try world(
      StateViews {
        StateView("chosen", of: \.chores, parameter: SwappedChoice.self) { chores, choice in
          chores.filter { $0.owner == choice.user && $0.isDone == choice.isDone }
        }
      })
    let chosen = try mirror(ViewName("chosen", Chores.Choice(owner: 2, isDone: false)), in: world)
    #expect(chosen.part?.map(\.title) == ["of 2"])
  }

  @Test func aParameterOfAnotherTypeIsRefusedAlthoughItsBytesFit() throws {
    let world = try world()
    let name = ViewName<Rows>("chosen", Bounds(first: 2, isOpen: false))
    let mirror = try mirror(name, in: world)
    let refusal = world.clients[0].replica.refusal(of: mirror)
    #expect(refusal?.hasPrefix("the parameter of view:chosen has another type on this hub: ") == true)
    #expect(mirror.part == nil && world.clients[0].replica.connection == .live)
  }

  /// A user may have typed it: the rest of the client goes on.
  @Test func aTooLongParameterConcernsItsViewOnly() throws {
    let world = try world(
      StateViews {
        StateView("titled", of: \.chores, parameter: String.self) { chores, title in
          chores.filter { $0.title == title }
        }
      })
    let long = try mirror(ViewName("titled", String(repeating: "x", count: 1_022)), in: world)
    #expect(
      world.clients[0].replica.refusal(of: long) == "the parameter of view:titled has 1025 bytes; hubs take 1024")
    let longest = try mirror(ViewName("titled", String(repeating: "x", count: 1_021)), in: world)
    #expect(world.clients[0].replica.refusal(of: longest) == nil && longest.part == [])
    let short = try mirror(ViewName("titled", "of 1"), in: world)
    #expect(short.part?.map(\.owner) == [1])
    #expect(world.clients[0].replica.connection == .live)
  }

  /// A program that forgets the parameter, or has bytes of another type.
  @Test(arguments: [nil, [0x61, 0x78]] as [[UInt8]?])
  func aMissingOrMistypedParameterConcernsItsViewOnly(parameter: [UInt8]?) throws {
    let world = try world()
    let client = world.clients[0]
    let (chosen, count) = (TypedMirror<Rows>(), TypedMirror<Chores.Counts>())
    client.replica.subscribe(
      count, to: ViewReference(name: "counts"), schema: Schema(state: Chores.Counts.self, action: Never.self))
    client.replica.subscribe(
      chosen, to: ViewReference(name: "chosen", parameter: parameter),
      schema: Schema(state: Rows.self, action: Never.self))
    try world.settle()
    #expect(client.replica.connection == .live && count.part?.all == 2 && chosen.part == nil)
    #expect(client.replica.refusalCode(of: chosen) == .unknownScope)
    let reason = client.replica.refusal(of: chosen)
    #expect(
      reason?.hasPrefix(
        parameter == nil
          ? "view:chosen has a value for each parameter, and this path has none; name one, as in view:chosen[PARAMETER]"
          : "the parameter of view:chosen is no value of its type, ") == true, "\(reason as Any)")
  }

  /// The hub's decoder may refuse what the schema allows, here members of a set that are not in order.
  @Test(arguments: [[], [.window(start: 0, count: 5)]] as [[PathStep]])
  func aParameterThatTheHubRefusesConcernsItsViewOnly(path: [PathStep]) throws {
    let world = try world(
      StateViews {
        StateView("count", of: \.chores) { $0.count }
        StateView("owned", of: \.chores, parameter: Set<UInt32>.self) { chores, owners in
          chores.filter { owners.contains($0.owner) }
        }
      })
    let client = world.clients[0]
    let counts = (0..<2).map { _ in TypedMirror<Int>() }
    for mirror in counts {
      let schema = Schema(state: Int.self, action: Never.self)
      client.replica.subscribe(mirror, to: ViewReference(name: "count"), schema: schema)
    }
    let refused: any Mirror = path.isEmpty ? TypedMirror<Rows>() : TypedMirror<Window<Rows>>()
    let schema = Schema(state: Rows.self, action: Never.self)
    client.replica.subscribe(
      refused, to: ViewReference(name: "owned", parameter: [0x82, 0x02, 0x01]), at: path, schema: schema)
    for isReconnected in [false, true] {
      if isReconnected { world.cut(client) }
      try world.settle()
      let connection = client.replica.connection
      #expect(connection == .live && counts.allSatisfy { $0.part == 2 })
      #expect(client.replica.refusalCode(of: refused) == .unknownScope)
      let reason = client.replica.refusal(of: refused)
      #expect(reason?.hasPrefix("the parameter of 'view:owned' is refused: ") == true)
    }
    // It waits for no room.
    client.replica.unsubscribe(counts[0])
    try world.settle()
    #expect(client.replica.refusalCode(of: refused) == .unknownScope && client.replica.connection == .live)
    // Another parameter is another value.
    client.replica.move(refused, to: ViewReference(name: "owned", parameter: [0x81, 0x02]), at: path)
    try world.settle()
    #expect(client.replica.refusal(of: refused) == nil && client.replica.connection == .live)
    let rows = (refused as? TypedMirror<Rows>)?.part ?? (refused as? TypedMirror<Window<Rows>>)?.part?.elements
    #expect(rows?.map(\.title) == ["of 2"])
  }
}
