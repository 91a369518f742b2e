import ComposableArchitecture
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

@Replicated
enum Answer: Equatable {
  case yes
}

@Reducer
struct Detail {
  @ObservableState
  @Replicated
  struct State: Equatable {
    var name = ""
  }

  @Replicated
  enum Action: Equatable {
    case renamed(String)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
@Replicated
enum Way {
  case detail(Detail)
  case alert(AlertState<Answer>)
}

@Suite struct ReducerEnumTests {
  @Test func theStateAndTheActionsOfAnEnumReducerTravel() throws {
    let (old, new) = (Way.State.detail(Detail.State(name: "a")), Way.State.detail(Detail.State(name: "b")))
    #expect(new.delta(from: old).hexadecimal == "a100a1006162")
    #expect(try old.applying(new.delta(from: old)).encoded() == new.encoded())
    let action = Way.Action.detail(.renamed("c")).encoded()
    #expect(action.hexadecimal == "8200820061" + "63")
    #expect(try Way.Action(decoding: action.span.bytes).encoded() == action)
    #expect(Schema(state: Way.State.self, action: Way.Action.self).definitions.first?.name == "Way.State")
  }
}
