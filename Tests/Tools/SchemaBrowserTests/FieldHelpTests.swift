import ComposableArchitecture
import Features
import SchemaBrowser
import Testing
import Wire

/// Documentation comments of fields and cases, as help.
@Suite struct FieldHelpTests {
  @Test func aFieldOfAFormHasItsComment() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    let comments = SchemaDocumentation(state: AppFeature.State.self, action: AppFeature.Action.self)
    let hub = HubDescription("app", schema, documentation: comments)
    let entry = try #require(hub.actions.first { $0.name == "todos.restored" })
    let draft = Draft(entry, element: nil, in: schema)
    func help(_ label: String) -> String? {
      draft.lines.first { $0.label == label }.map { hub.help(ofFieldAt: $0.place, in: draft) }
    }
    #expect(help("Text") == "The text." && help("Is complete") == "True if it is completed.")
    #expect(help("Id") == "The todo's number, which is unique in the list and never reused.")
    #expect(help("Before") == "")
    #expect(HubDescription("app", schema).help(ofFieldAt: draft.lines[0].place, in: draft) == "")
  }

  @Test func theSelectedFieldOfAnElementHasItsComment() {
    var app = AppFeature.State()
    app.todos.todos.append(Todo.State(id: 1, text: "bread"))
    var browser = WindowedBrowser(app, of: AppFeature.Action.self)
    browser.act(.pathTapped, .pathChanged("todos.todos[1]"), .pathEntered)
    browser.act(.rowSelected("text"))
    #expect(browser.state.selectionHelp == "The text.")
    browser.act(.upTapped)
    #expect(browser.state.selectionHelp == "")
  }
}
