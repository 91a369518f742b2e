import ComposableArchitecture
import ReplicatedArchitecture
import SchemaBrowser
import Testing
import Wire

/// A screen that is presented over another one, with alerts of its own.
@Reducer
private struct Outer {
  @CasePathable @Replicated
  enum Answer: Equatable, Sendable { case yes }

  @ObservableState @Replicated
  struct Child: Equatable, Sendable {
    var plain: AlertState<Answer>?
    @Presents var presented: AlertState<Answer>?
  }

  @Replicated
  enum ChildAction: Equatable, Sendable {
    case plain(Answer)
    case presented(PresentationAction<Answer>)
  }

  @ObservableState @Replicated
  struct State: Equatable, Sendable {
    @Presents var child: Child?
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case child(PresentationAction<ChildAction>)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Suite struct PromptPlaceTests {
  /// The action that dismissed the child was once taken for that of the alert in it.
  @Test func aPlainAlertInAPresentedPartIsNotDismissedWithThePart() throws {
    let schema = Schema(state: Outer.State.self, action: Outer.Action.self)
    let prompts = HubDescription("outer", schema).prompts
    #expect(prompts.map(\.path) == ["child.plain", "child.presented"])
    #expect(prompts.map(\.dismissal) == [nil, [.key(0), .key(1), .key(1), .key(0)]])
  }
}
