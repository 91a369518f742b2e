internal import Wire

/// Constructors of actions: a class for each enum of actions, with a method for each case, and a function for each case
/// of the feature's own.
///
/// A case whose last value is an action itself returns the constructors of that one:
/// `todos.element(3).text_changed("x")`.
extension PythonWriter {
  func actions(_ out: inout SourceText) {
    guard case .definition(let root) = model.schema.action, case .choices(let cases) = types[root].content else {
      return
    }
    for index in model.definitions(inside: model.schema.action) where index != root && isAction(index) {
      maker(index, &out)
    }
    let isPlain = cases.allSatisfy { $0.values.isEmpty }
    for (element, name) in zip(cases, constructors) {
      out.line()
      out.line()
      let text = model.documentation.text(ofMember: element.key, of: root)
      let made = isPlain ? "\(types[root].name).\(element.name)" : element.name
      if let inner = nested(element), element.values.count == 1 {
        out.line("\(name) = \(types[inner].maker)[\(types[root].name)](\(made))")
        if let text { PythonWriter.comment(text, &out) }
      } else {
        function(element, named: name, isMethod: false, made: made, result: types[root].name, comment: text, &out)
      }
    }
  }

  /// True for an enum of actions, by its name: `Todos.Action`, `IdentifiedAction`, `Favourites.Action.View`.
  private func isAction(_ index: Int) -> Bool {
    guard case .choices(let cases) = types[index].content, !cases.isEmpty else { return false }
    return NameWords(types[index].source).words.contains("Action")
  }

  /// The enum of a case's last value, if it is one.
  private func nested(_ element: PythonType.Choice) -> Int? {
    guard case .definition(let index)? = element.values.last?.type, isAction(index) else { return nil }
    return index
  }

  private func maker(_ index: Int, _ out: inout SourceText) {
    let type = types[index]
    guard case .choices(let cases) = type.content else { return }
    let isPlain = cases.allSatisfy { $0.values.isEmpty }
    out.line()
    out.line()
    out.block("class \(type.maker)(_typing.Generic[_A]):") { out in
      PythonWriter.comment("Makes actions with a `\(type.source)` inside.", &out)
      out.line()
      out.block("def __init__(self, wrap: _abc.Callable[[\(type.name)], _A]) -> None:") { $0.line("self._wrap = wrap") }
      for element in cases {
        out.line()
        let text = model.documentation.text(ofMember: element.key, of: index)
        let made = isPlain ? "\(type.name).\(element.name)" : element.name
        function(element, named: element.maker, isMethod: true, made: made, result: "_A", comment: text, &out)
      }
    }
  }

  private func function(
    _ element: PythonType.Choice, named name: String, isMethod: Bool, made: String, result: String, comment: String?,
    _ out: inout SourceText
  ) {
    let inner = nested(element)
    let given = inner == nil ? element.values : Array(element.values.dropLast())
    let parameters = (isMethod ? ["self"] : []) + given.map { "\($0.name): \(pythonType($0.type))" }
    let type = inner.map { "\(types[$0].maker)[\(result)]" } ?? result
    if isMethod, inner != nil, given.isEmpty { out.line("@property") }
    let line = "def \(name)(\(parameters.joined(separator: ", "))) -> \(type):"
    out.block(line) { out in
      if let comment { PythonWriter.comment(comment, &out) }
      let isMember = made.contains(".")
      func wrap(_ value: String) -> String { isMethod ? "self._wrap(\(value))" : value }
      let names = given.map(\.name)
      if let inner {
        let arguments = (names + ["action_"]).joined(separator: ", ")
        out.line("return \(types[inner].maker)(lambda action_: \(wrap("\(made)(\(arguments))")))")
      } else {
        out.line("return \(wrap(isMember ? made : "\(made)(\(names.joined(separator: ", ")))"))")
      }
    }
  }
}
