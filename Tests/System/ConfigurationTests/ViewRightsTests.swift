import Configuration
import FeatureCore
import Features
import HubCore
import Testing
import Wire

/// Rights on the views that a feature declares.
@Suite struct ViewRightsTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private static let views = StateViews<AppFeature.State> {
    StateView("active", of: \.todos.todos) { todos in todos.count { !$0.isComplete } }
    StateView("texts", of: \.todos.todos, parameter: Int.self) { todos, id in todos[id: id]?.text ?? "" }
  }.schema

  private func read(_ text: String, views: Schema? = Self.views) throws(ConfigurationError) -> OperatorConfiguration {
    var configuration = try OperatorConfiguration(owner: 7)
    try configuration.read([("hub.conf", text)], schema: Self.schema, views: views)
    return configuration
  }

  @Test func aViewIsGrantedByItsName() throws {
    let configuration = try read("[everyone]\nread = view:active, counter, view:texts[3]")
    #expect(
      configuration.policy.everyone
        == AccessGrant(read: [[0]], views: [[0], [1, .id(3.encoded())]]))
    let text = configuration.text(for: Self.schema, views: Self.views)
    #expect(text.contains("read = counter, view:active, view:texts[3]"))
    #expect(try read(text).policy == configuration.policy)
  }

  @Test(arguments: [
    ("view:activ", "declares no view 'activ'; did you mean 'view:active'?"), ("view:", "names no view"),
    ("activ", "has no field"),
  ])
  func aMistakeIsNamed(_ word: String, _ reason: String) {
    let error = #expect(throws: ConfigurationError.self) { try read("[everyone]\nread = \(word)") }
    #expect(error?.problems.first?.description.contains(reason) == true, "\(error?.problems ?? [])")
  }

  @Test func aFeatureWithoutViewsHasNone() {
    let error = #expect(throws: ConfigurationError.self) { try read("[everyone]\nread = view:active", views: nil) }
    #expect(error?.problems.first?.description.contains("declares no views") == true)
  }
}
