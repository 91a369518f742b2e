import ComposableTesting
import Testing

/// Tests of features that refuse actions.
@MainActor @Suite struct RefusalTests {
  struct Door: Reducer {
    struct State: Equatable { var isOpen = true, bell = 0 }

    @CasePathable
    enum Action { case closeTapped, close(byOwner: Bool), ring }

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .closeTapped:
          state.bell += 1
          return .send(.close(byOwner: false))
        case .close(let isOwner):
          guard isOwner else { throw Refusal("only the owner may close it") }
          state.isOpen = false
          return .none
        case .ring:
          state.bell += 1
          return .none
        }
      }
    }
  }

  @Test func aRefusalIsExpected() async {
    let store = TestStore(initialState: Door.State()) { Door() }
    await store.send(.close(byOwner: false), refused: "only the owner may close it")
    await store.send(\.close, false, refused: "only the owner may close it")
    await store.send(\.closeTapped, refused: "only the owner may close it")
    await store.send(.close(byOwner: true)) { $0.isOpen = false }
    await store.send(.ring) { $0.bell = 1 }
  }

  @Test func anUnexpectedRefusalFailsTheTest() async {
    let store = TestStore(initialState: Door.State()) { Door() }
    await withKnownIssue {
      await store.send(.close(byOwner: false)) { $0.isOpen = false }
    } matching: {
      $0.description.contains("The action was refused: \"only the owner may close it\". …")
        && $0.description.contains("RefusalTests.Door.Action.close(byOwner: false)")
    }
    await store.send(.ring) { $0.bell = 1 }
  }

  @Test func aMissingOrOtherRefusalFailsTheTest() async {
    let store = TestStore(initialState: Door.State()) { Door() }
    await withKnownIssue {
      await store.send(.close(byOwner: false), refused: "it is locked")
    } matching: {
      $0.description.contains("refused for another reason than expected")
    }
    store.exhaustivity = .off
    await withKnownIssue {
      await store.send(.ring, refused: "it is locked")
    } matching: {
      $0.description.contains("but it took effect")
    }
  }
}
