import ComposableArchitecture
import FoundationEssentials
import HubCore
import Testing
import Wire

/// Actions that a hub cannot read: their senders learn whether it does not know the action, or cannot read one of its
/// values.
@Suite struct UnreadableActionTests {
  struct Links: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var address: URL?
    }

    @Replicated
    enum Action: Sendable {
      case addressChanged(URL)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .addressChanged(let address): state.address = address
        }
        return .none
      }
    }
  }

  private func reason(for action: CBORValue) throws -> String {
    let hub = try FeatureHub(Links.State(), Links())
    try hub.send(encoded: [action.encoded()])
    let rejected = try #require(hub.rejections.first)
    #expect(rejected.code == .unknownAction && hub.engine.state.address == nil)
    return rejected.reason
  }

  @Test(arguments: ["http://exa mple", "http://[", ""])
  func aMistypedURLIsNotCalledAnUnknownAction(text: String) throws {
    #expect(
      try reason(for: .array([.unsigned(0), .text(text)]))
        == "this hub cannot read the action: expected a URL, such as https://example.com/a%20b")
  }

  @Test func anUnknownCaseIsCalledAnUnknownAction() throws {
    let reason = try reason(for: .array([.unsigned(9), .text("x")]))
    #expect(reason.hasPrefix("this hub has no such action: ") && reason.hasSuffix("Links.Action has no case 9"))
  }

  @Test func aURLIsRead() throws {
    let hub = try FeatureHub(Links.State(), Links())
    try hub.send(encoded: [CBORValue.array([.unsigned(0), .text("https://example.com/a%20b")]).encoded()])
    #expect(hub.engine.state.address?.absoluteString == "https://example.com/a%20b")
  }
}
