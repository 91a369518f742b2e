package import Wire

/// A language for which types are generated.
package enum GeneratedLanguage: String, CaseIterable, Sendable {
  case python, typescript, swift
}

/// A schema that has no form in a language: its place and the remedy.
package struct GenerationError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The source of the types of a schema, for a client in another language, or without the package of the feature.
///
/// The text is the same for the same schema and comments. Its head has the fingerprint of the schema.
/// - Complexity: O(definitions), and for each type of a set or a dictionary the types inside it.
package func generatedSource(
  of schema: Schema, documentation: SchemaDocumentation = SchemaDocumentation(), in language: GeneratedLanguage
) throws(GenerationError) -> String {
  let model = SchemaModel(schema: schema, documentation: documentation)
  return switch language {
  case .python: PythonWriter(model).source()
  case .typescript: TypeScriptWriter(model).source()
  case .swift: try SwiftWriter(model).source()
  }
}
