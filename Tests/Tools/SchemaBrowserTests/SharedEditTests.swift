import ComposableArchitecture
import IdentifiedCollections
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// Edits of shared models.
@Suite struct SharedEditTests {
  @Test func onlyTheFieldsThatWereChangedAreSent() throws {
    var (state, row) = try notebook()
    take(&state, .rowSelected(row), .editTapped)
    try write("Title", "new", &state)
    take(&state, .formSubmitted)
    let sent = try #require(state.pending.values.first?.text)
    #expect(sent.contains("title") && !sent.contains("stars") && !sent.contains("tags"), "\(sent)")
  }

  @Test func severalFieldsAreOneAction() throws {
    var (state, row) = try notebook()
    take(&state, .rowSelected(row), .editTapped)
    try write("Title", "new", &state)
    try write("Stars", "4", &state)
    take(&state, .formSubmitted)
    let sent = try #require(state.pending.values.first?.text)
    #expect(state.pending.count == 1 && sent.contains("title") && sent.contains("stars"), "\(sent)")
    #expect(!sent.contains("tags"), "\(sent)")
  }

  @Test func aFormWithoutAChangeSendsNothing() throws {
    var (state, row) = try notebook()
    take(&state, .rowSelected(row), .editTapped, .formSubmitted)
    guard case .form(let form)? = state.overlay else {
      Issue.record("the form stays")
      return
    }
    #expect(form.error?.reason == "nothing was changed" && state.pending.isEmpty)
  }

  /// The key once did nothing there.
  @Test func theValueOfAPageIsEdited() throws {
    var (state, _) = try notebook()
    take(&state, .pathTapped, .pathChanged(#"notes["a"].title"#), .pathEntered)
    guard case .text(["old"]) = state.content else {
      Issue.record("the page of a text shows it")
      return
    }
    take(&state, .editTapped)
    guard case .form(let form)? = state.overlay else {
      Issue.record("the text is edited")
      return
    }
    #expect(form.draft.title == #"Set notes["a"].title"#)
  }

  private func take(_ state: inout Browser.State, _ actions: Browser.Action...) {
    for action in actions { _ = Browser().reduce(into: &state, action: action) }
  }

  private func write(_ label: String, _ text: String, _ state: inout Browser.State) throws {
    guard case .form(let form)? = state.overlay else { throw NoForm() }
    let line = try #require(form.draft.lines.first { $0.label == label })
    take(&state, .formChanged(place: line.place, .text(text)))
  }

  /// A browser that shows the notes of a shared notebook, and the name of the first row.
  private func notebook() throws -> (Browser.State, row: String) {
    var schema = Schema(state: Notebook.self, action: Bool.self)
    guard case .definition(let index) = schema.state, case .fields(let fields) = schema.definitions[index].content
    else { throw NoFields() }
    let cases = fields.map { field in
      Schema.Case(
        key: field.key, name: field.name,
        payload: [Schema.Payload(label: "", type: .named("Change", [field.type]))])
    }
    schema.definitions.append(Schema.Definition(name: "Notebook.Action", content: .cases(cases)))
    schema.action = .definition(schema.definitions.count - 1)
    var notebook = Notebook()
    notebook.notes.append(Notebook.Note(id: "a", title: "old"))
    let bytes = notebook.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    let values = SchemaValues(schema)
    let value = try values.value(of: schema.state, from: &decoder)
    var state = Browser.State()
    take(&state, .connected(HubDescription("notehub", schema)), .linkChanged(.live))
    for path in state.scopes {
      let part = values.part(at: try schema.part(named: path), of: value)
      take(&state, .received(path: path, ReceivedPart(value: part?.value, revision: 1)))
    }
    guard case .table(let table) = state.content else { throw NoFields() }
    return (state, table.name(at: 0))
  }

  private struct NoFields: Error {}
  private struct NoForm: Error {}
}
