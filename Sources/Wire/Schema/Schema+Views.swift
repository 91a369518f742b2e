/// A declared view, as its schema describes it.
package struct ViewDescription {
  /// Its name, which is a Swift identifier.
  package let name: String
  /// Adds its type: that of its values, or `View` with the types of the parameter and of the values.
  package let type: (inout SchemaBuilder) -> SchemaType

  /// Describes a view.
  package init(_ name: String, type: @escaping (inout SchemaBuilder) -> SchemaType) {
    (self.name, self.type) = (name, type)
  }
}

extension Schema {
  /// The schema of the views that a feature declares (`StateRoot.views`): the state is a struct with a field for each,
  /// whose key is the view's number, and there are no actions.
  ///
  /// - Complexity: That of describing the types.
  package init(views: [ViewDescription]) {
    var builder = SchemaBuilder()
    let fields = Self.fields(views, &builder)
    action = Never.schema(in: &builder)
    definitions = builder.definitions
    state = .definition(definitions.count)
    definitions.append(Definition(name: "Views", content: .fields(fields)))
  }

  fileprivate static func fields(_ views: [ViewDescription], _ builder: inout SchemaBuilder) -> [Field] {
    views.enumerated().map { index, view in
      Field(key: UInt64(index), name: view.name, type: view.type(&builder), hasDefault: false)
    }
  }
}

extension SchemaDocumentation {
  /// The comments of the types of views.
  package init(views: [ViewDescription]) {
    var builder = SchemaBuilder(documentation: SchemaDocumentation())
    _ = Schema.fields(views, &builder)
    self = builder.documentation ?? SchemaDocumentation()
  }
}
