/// The replication code of an enum.
struct ReplicatedEnumExpansion {
  let cases: [ReplicatedCase]
  let isRecursive: Bool
  let name: String
  let access: String
  /// The text of the enum's documentation comment.
  let documentation: String?

  var members: [String] {
    // Without cases there is no value, and the protocol's own methods do. The compiler would warn of any statement of a
    // method with a value that cannot exist, and needs none.
    guard !cases.isEmpty else {
      return [
        "\(access)func encode(to encoder: inout Wire.CBOREncoder) {}", decode,
        "\(access)func differs(from base: Self) -> Bool {}", schema,
      ]
    }
    return [encode, decode, hasParts, differs, encodeDelta, apply, part, schema].compactMap(\.self)
  }

  private var payloads: [ReplicatedCase] { cases.filter { $0.count > 0 } }

  /// Counts the nesting depth of values of the enum.
  private var depth: String { isRecursive ? "try decoder.enter()\ndefer { decoder.leave() }\n" : "" }

  private var encode: String {
    let lines = cases.map { element in
      element.count == 0
        ? "case \(element.pattern(nil)): encoder.enumCase(\(element.key))"
        : """
        case \(element.pattern("value")):
        encoder.enumCase(\(element.key), payloadCount: \(element.count))
        \((0..<element.count).map { "Wire.Expansion.encode(value\($0), to: &encoder)" }.joined(separator: "\n"))
        """
    }
    return """
      \(access)func encode(to encoder: inout Wire.CBOREncoder) {
      switch self {
      \(lines.joined(separator: "\n"))
      }
      }
      """
  }

  private var decode: String {
    let lines = cases.map { element in
      "case (\(element.key), \(element.count)): self = \(element.value { _ in "try Wire.Expansion.value(from: &decoder)" })"
    }
    return """
      \(access)init(from decoder: inout Wire.CBORDecoder) throws(Wire.WireError) {
      \(depth)let start = decoder.offset
      switch try decoder.caseKey() {
      \(lines.joined(separator: "\n"))
      case (let key, _): throw Wire.WireError(.unknownCase(key, type: "\(name)"), at: start)
      }
      }
      """
  }

  private var hasParts: String { "\(access)static var hasParts: Bool { \(!payloads.isEmpty) }" }

  private var differs: String {
    let lines = cases.map { element in
      let comparisons = (0..<element.count).map { "Wire.Expansion.differs(new\($0), from: old\($0))" }
      return """
        case (\(element.pattern("new")), \(element.pattern("old"))):
        return \(comparisons.isEmpty ? "false" : comparisons.joined(separator: " || "))
        """
    }
    return """
      \(access)func differs(from base: Self) -> Bool {
      switch (self, base) {
      \(lines.joined(separator: "\n"))
      \(cases.count > 1 ? "default: return true" : "")
      }
      }
      """
  }

  private var encodeDelta: String {
    let lines = payloads.map { element in
      """
      case (\(element.pattern("new")), \(element.pattern("old"))):
      encoder.change(of: \(element.key))
      \(element.count == 1 ? "Wire.Expansion.encodeDelta(new0, from: old0, to: &encoder)" : changes(of: element.count))
      """
    }
    let parameters = "from base: Self, to encoder: inout Wire.CBOREncoder"
    if payloads.isEmpty { return "\(access)func encodeDelta(\(parameters)) {\nencode(to: &encoder)\n}" }
    return """
      \(access)func encodeDelta(\(parameters)) {
      switch (self, base) {
      \(lines.joined(separator: "\n"))
      \(cases.count > 1 ? "default: encode(to: &encoder)" : "")
      }
      }
      """
  }

  private func changes(of count: Int) -> String {
    let notes = (0..<count).map { "changes.note(\($0), Wire.Expansion.differs(new\($0), from: old\($0)))" }
    let writes = (0..<count).map {
      "if changes.contains(\($0)) {\nencoder.unsigned(\($0))\nWire.Expansion.encodeDelta(new\($0), from: old\($0), to: &encoder)\n}"
    }
    return """
      var changes = Wire.ChangedFields()
      \(notes.joined(separator: "\n"))
      encoder.mapHeader(count: changes.count)
      \(writes.joined(separator: "\n"))
      """
  }

  private var apply: String {
    // Moved out of the enum and back, so that a uniquely referenced payload is changed in place. Meanwhile another case
    // must take its place, which is possible if there is one without a payload.
    let placeholder = cases.first { $0.count == 0 }
    let lines = payloads.map { element in
      let changed = element.value { "value\($0)" }
      let taken = placeholder.map { "self = .\($0.name)\n" } ?? ""
      let isOnly = cases.count == 1
      return """
        case \(element.key):
        \(isOnly ? "switch self {\ncase \(element.pattern("value", "var")):" : "guard case \(element.pattern("value", "var")) = self else { break }")
        \(taken)do throws(Wire.WireError) {
        \(element.count == 1 ? "try Wire.Expansion.apply(&decoder, to: &value0)" : loop(element.count))
        } catch {
        self = \(changed)
        throw error
        }
        self = \(changed)
        \(isOnly ? "}\n" : "")return
        """
    }
    let parameter = "delta decoder: inout Wire.CBORDecoder"
    if payloads.isEmpty {
      return """
        \(access)mutating func apply(\(parameter)) throws(Wire.WireError) {
        self = try Self(from: &decoder)
        }
        """
    }
    return """
      \(access)mutating func apply(\(parameter)) throws(Wire.WireError) {
      let start = decoder.offset
      guard let key = try decoder.change() else {
      self = try Self(from: &decoder)
      return
      }
      \(depth)switch key {
      \(lines.joined(separator: "\n"))
      default: break
      }
      try decoder.passOver("\(name)", at: start)
      }
      """
  }

  private var part: String? {
    guard !payloads.isEmpty else { return nil }
    let lines = payloads.map { element in
      let only = "return Wire.Expansion.part(of: value0, at: path.dropFirst())"
      let indices = (0..<element.count).map {
        "case .key(\($0))?: return Wire.Expansion.part(of: value\($0), at: path.dropFirst(2))"
      }
      return """
        case (\(element.pattern("value")), .key(\(element.key))):
        \(element.count == 1 ? only : "switch path.dropFirst().first {\n\(indices.joined(separator: "\n"))\ndefault: return nil\n}")
        """
    }
    return """
      \(access)func part(at path: ArraySlice<Wire.PathStep>) -> (any Wire.Replicated)? {
      guard let step = path.first else { return self }
      switch (self, step) {
      \(lines.joined(separator: "\n"))
      default: return nil
      }
      }
      """
  }

  private func loop(_ count: Int) -> String {
    let cases = (0..<count).map { "case \($0): try Wire.Expansion.apply(&decoder, to: &value\($0))" }
    return """
      var fields = try decoder.fields()
      while let index = try decoder.nextKey(of: &fields) {
      switch index {
      \(cases.joined(separator: "\n"))
      default: try decoder.passOver("\(name)", at: start)
      }
      }
      """
  }

  private var schema: String {
    var lines = cases.map { element in
      if element.count == 0 { return "cases.enumCase(\"\(plain(element.name))\", key: \(element.key))" }
      let parameters = element.enumCase.parameters
      let labels = parameters.map { element.enumCase.label(of: $0) }
      // Through the case's constructor: in an extension of a nested type, the names of the enclosing types are not in
      // scope.
      let constructor = "\(element.name)(\(labels.map { "\($0 ?? "_"):" }.joined()))"
      let call = """
        cases.replicated("\(plain(element.name))", key: \(element.key), \
        labels: [\(labels.map { "\"\($0.map(plain) ?? "")\"" }.joined(separator: ", "))], Self.\(constructor))
        """
      // At the case's own line, where the compiler then reports a payload that is not replicated.
      return [element.location, call].compactMap(\.self).joined(separator: "\n")
    }
    if payloads.contains(where: { $0.location != nil }) { lines.append("#sourceLocation()") }
    lines += cases.compactMap { $0.formerNames.declaration(in: "cases", key: $0.key) }
    if let documentation { lines.append("cases.document(\(documentation.literal))") }
    lines += cases.compactMap { element in
      element.enumCase.documentation.map { "cases.document(\($0.literal), key: \(element.key))" }
    }
    return """
      \(access)static func schema(in builder: inout Wire.SchemaBuilder) -> Wire.SchemaType {
      builder.enumeration(Self.self, name: "\(name)") { \(lines.isEmpty ? "_" : "cases") in
      \(lines.joined(separator: "\n"))
      }
      }
      """
  }
}
