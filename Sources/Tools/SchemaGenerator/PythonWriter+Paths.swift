internal import Wire

/// Paths to the parts of the state: a class for each struct and enum in it, with a property for each step.
extension PythonWriter {
  func paths(_ out: inout SourceText) {
    let state = model.schema.state
    for index in model.definitions(inside: state) {
      let type = types[index]
      out.line()
      out.line()
      out.block("class \(type.path)(_storehub.Path[_V], _typing.Generic[_V]):") { out in
        PythonWriter.comment("A path to a value of `\(type.source)`, or to an optional one.", &out)
        for step in steps(of: index) { property(step, &out) }
      }
    }
    guard let index = model.definition(of: state) else { return }
    out.line()
    out.line()
    out.line("State = \(types[index].path)[\(pythonType(state))]((), MODEL)")
    PythonWriter.comment("The path to the whole state; its properties lead to the parts.", &out)
  }

  private struct Step {
    var source: String
    var name: String
    var type: SchemaType
    var comment: String?
  }

  /// The fields of a struct, and the cases of an enum with one value.
  private func steps(of index: Int) -> [Step] {
    switch types[index].content {
    case .record(let members):
      members.map { member in
        let text = model.documentation.text(ofMember: member.key, of: index)
        return Step(source: member.source, name: member.name, type: member.type, comment: text)
      }
    case .choices(let cases):
      cases.filter { $0.values.count == 1 }.map { element in
        let text = model.documentation.text(ofMember: element.key, of: index)
        return Step(source: element.source, name: element.maker, type: element.values[0].type, comment: text)
      }
    }
  }

  private func property(_ step: Step, _ out: inout SourceText) {
    let path = path(to: step.type)
    out.line()
    out.line("@property")
    out.block("def \(step.name)(self) -> \(path.type):") { out in
      if let comment = step.comment { PythonWriter.comment(comment, &out) }
      let name = quoted(step.source)
      if let element = path.element {
        out.line("made: \(path.type) = self._elements(\(name), \(element))")
        out.line("return made")
      } else {
        out.line("return self._to(\(name), \(path.type))")
      }
    }
  }

  /// The class of a path to a type, and for an identified array that of a path to its elements.
  private func path(to type: SchemaType) -> (type: String, element: String?) {
    let value = pythonType(type)
    if let index = model.definition(of: type), !types[index].path.isEmpty {
      return ("\(types[index].path)[\(value)]", nil)
    }
    switch unwrapped(type) {
    case .named("Array", let parts) where parts.count == 1:
      return ("_storehub.ArrayPath[\(value), \(pythonType(parts[0]))]", nil)
    case .named("IdentifiedArray", let parts) where parts.count == 2:
      let element = path(to: parts[1])
      let kind = "\(value), \(pythonType(parts[0])), \(pythonType(parts[1])), \(element.type)"
      return ("_storehub.ElementsPath[\(kind)]", element.element == nil ? element.type : "_storehub.Path")
    case .named("StackState", let parts) where parts.count == 1:
      let element = path(to: parts[0])
      let kind = "\(value), int, _storehub.StackElement[\(pythonType(parts[0]))], \(element.type)"
      return ("_storehub.ElementsPath[\(kind)]", element.element == nil ? element.type : "_storehub.Path")
    default: return ("_storehub.Path[\(value)]", nil)
    }
  }

  private func unwrapped(_ type: SchemaType) -> SchemaType {
    if case .named(_, let parts) = type, model.isOptional(type), parts.count == 1 { return unwrapped(parts[0]) }
    return type
  }
}
