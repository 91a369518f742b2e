internal import JSONText
internal import ProgramOptions
internal import Spelling
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let schema = Self(
    "schema", "show the types of the state and of the actions",
    arguments: [.init("TYPE", .atMostOnce, value: .type)],
    options: [.hub], details: [.text("With a TYPE, only that one.")])
}

extension Tool {
  func schema() async throws(ToolFailure) {
    let hub = try await connect()
    let schema = hub.schema(of: root)
    let text = SchemaText(schema: schema, palette: palette)
    var definitions = schema.definitions
    if let name = options.arguments.first {
      definitions = definitions.filter { $0.name == name }
      guard !definitions.isEmpty else {
        let near = Spelling.nearest(to: name, among: schema.definitions.map(\.name))
        throw ToolFailure(.unknownName, "the schema has no type '\(name)'\(Spelling.question(near))")
      }
      if isJSON { return definitions.forEach { print(text.json($0)) } }
      return print(text.lines(definitions))
    }
    if isJSON {
      return print([
        "fingerprint": .string("\(schema.fingerprint)"), "state": .string(schema.name(of: schema.state)),
        "action": .string(schema.name(of: schema.action)), "types": .array(definitions.map { text.json($0) }),
      ])
    }
    let names = [("state", schema.state), ("action", schema.action)].map {
      "\(palette.faint($0 + ":")) \(ValueText.safe(schema.name(of: $1)))"
    }
    print(names + [""] + text.lines(definitions))
  }
}
