internal import JSONText
internal import ProgramOptions
internal import Spelling
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let schema = Self(
    "schema", "show the types of the state and of the actions",
    arguments: [.init("TYPE", .atMostOnce, value: .type)],
    options: [.hub, .init("views", "the types of the views that the feature declares")],
    details: [
      .text(
        """
        With a TYPE, only that one. The comments are those of the hub's source; a hub of an earlier version has none. The \
        form of the output with --json is described in SCHEMA.md, and stays readable for programs.
        """)
    ])
}

extension Tool {
  func schema() async throws(ToolFailure) {
    let hub = try await connect(isDocumented: true)
    let root: StateRoot = options.flag("views") ? .views : self.root
    if root == .views { _ = try await views(of: hub, for: "--views") }
    let schema = hub.schema(of: root)
    let text = SchemaText(schema: schema, documentation: hub.documentation(of: root), palette: palette)
    if let name = options.arguments.first {
      let indices = schema.definitions.indices.filter { schema.definitions[$0].name == name }
      guard !indices.isEmpty else {
        let near = Spelling.nearest(to: name, among: schema.definitions.map(\.name))
        throw ToolFailure(
          .unknownName, "the schema has no type '\(name)'\(Spelling.question(near))",
          names: near.isEmpty ? .types(root) : nil)
      }
      if isJSON { return indices.forEach { print(text.json($0)) } }
      return print(text.lines(indices))
    }
    if isJSON { return print(text.json) }
    let kinds = root == .views ? [("views", schema.state)] : [("state", schema.state), ("action", schema.action)]
    let names = kinds.map {
      "\(palette.faint($0 + ":")) \(ValueText.safe(schema.name(of: $1)))"
    }
    print(names + [""] + text.lines(schema.definitions.indices))
  }
}
