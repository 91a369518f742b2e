import ComposableArchitecture
import HubCore
import ReplicaCore
import ReplicatedArchitecture
import Testing
import Wire

/// A client of an older version and a hub in which fields and cases have other names.
extension OtherSourceTests {
  enum Renamed {
    @Replicated
    struct State: Equatable {
      var note = ""
      @Replicated(was: "count") var total = 0
    }

    @Replicated
    enum Action: Equatable {
      case reset
      @Replicated(was: "added") case counted(Int)
    }
  }

  enum Original {
    @Replicated
    struct State: Equatable {
      var count = 0
      var note = ""
    }

    @Replicated
    enum Action: Equatable {
      case added(Int)
      case reset
    }
  }

  private func renamedHub() -> HubCore {
    let engine = FeatureEngine<Renamed.State, Renamed.Action>(
      initialState: Renamed.State(total: 40),
      reducer: Reduce { state, action in
        switch action {
        case .reset: state.total = 0
        case .counted(let number): state.total += number
        }
        return .none
      })
    return HubCore(engine, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .async)
  }

  @Test func anOlderClientFollowsRenamedFieldsAndSendsItsActions() throws {
    var hub = renamedHub()
    var replica = ReplicaCore(schema: Schema(state: Original.State.self, action: Original.Action.self))
    let count = replica.subscribe(to: StatePath<Original.State, Original.State>().count)
    // Sent before the client knows the hub.
    _ = try replica.send { $0.append(Original.Action.added(2).encoded().span.bytes) }
    replica.start()
    var id: ConnectionID?
    let outcomes = run(&hub, &replica, &id)
    #expect(count.part == 42)
    #expect(outcomes.contains { if case .applied = $0 { true } else { false } })
    _ = try replica.send { $0.append(Original.Action.reset.encoded().span.bytes) }
    _ = run(&hub, &replica, &id)
    #expect(count.part == 0)
  }

  /// The reverse: the names of the client's own schema are enough with a hub that has never heard of them.
  @Test func aNewerClientFollowsAnOlderHub() throws {
    let engine = FeatureEngine<Original.State, Original.Action>(
      initialState: Original.State(count: 40),
      reducer: Reduce { state, action in
        if case .added(let number) = action { state.count += number }
        return .none
      })
    var hub = HubCore(engine, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .async)
    var replica = ReplicaCore(schema: Schema(state: Renamed.State.self, action: Renamed.Action.self))
    let total = replica.subscribe(to: StatePath<Renamed.State, Renamed.State>().total)
    _ = try replica.send { $0.append(Renamed.Action.counted(2).encoded().span.bytes) }
    replica.start()
    var id: ConnectionID?
    _ = run(&hub, &replica, &id)
    #expect(total.part == 42 && engine.state.count == 42)
  }

  /// Readers of a release without former names take fields of four items only.
  @Test func formerNamesAreSentOnRequestOnly() throws {
    var hub = renamedHub()
    var replica = ReplicaCore(schema: Schema(state: Renamed.State.self, action: Renamed.Action.self))
    replica.start()
    var id: ConnectionID?
    _ = run(&hub, &replica, &id)
    let connection = try #require(id)
    var answers: [[UInt8]] = []
    for flags in [0, Schema.formerNamesFlag] {
      let request: [UInt8] = [0, 0, 0, 0, FrameKind.describe.rawValue, flags] + [UInt8](repeating: 0, count: 10)
      hub.received(request.span.bytes, on: connection, at: .zero)
      hub.endTurn(at: .zero, flushing: true)
      var decoder = FrameDecoder(payloadLimit: 1 << 20)
      for case .write(_, let run) in hub.commands {
        for range in hub.ranges[run] {
          let bytes = Array(hub.output.bytes[range])
          try decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
            if header.kind == FrameKind.schema.rawValue {
              answers.append(payload.withUnsafeBytes { [UInt8]($0) })
            }
          }
        }
      }
      hub.clear()
    }
    let schema = Schema(state: Renamed.State.self, action: Renamed.Action.self)
    #expect(answers == [schema.withoutFormerNames.encoded(), schema.encoded()])
  }
}
