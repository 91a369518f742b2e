internal import JSONParser
internal import JSONText
internal import SchemaNames
internal import Wire

/// Compiles the texts of actions and values with placeholders to bytes with gaps, by a hub's schema.
///
/// The schema encodes the action with stand-ins for its placeholders: values that occur nowhere else. The gaps are the
/// places where their bytes are found. So everything that the schema can encode can be a template.
struct TemplateCompiler {
  let schema: Schema
  let run: String
  let payload: Int

  /// Compiles an action: its path, followed by the values of its last case.
  func action(_ text: String) throws(LoadError) -> Segments {
    let template = try TemplateText(text, run: run, payload: payload)
    guard let name = template.words.first else { throw .scenario("an action must follow 'send ='") }
    let values = Array(template.words.dropFirst())
    return try compile(template.gaps) { (standIns) throws(TemplateFailure) in
      do {
        let path = try schema.actionPath(named: standIns.inName(name))
        let json = try values.map { try Self.value(standIns.inValue($0)) }
        return try schema.action(path, json).encoded()
      } catch {
        throw TemplateFailure(reason: "\(error)")
      }
    }
  }

  /// Parses a word as JSON or, as in storectl, as a single word without quotes.
  private static func value(_ word: String) throws(JSONError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: word)
    } catch {
      guard word.allSatisfy({ $0.isLetter || $0.isNumber || "-_:.+".contains($0) }) else { throw error }
      return .string(word)
    }
  }

  /// Compiles one value of a type.
  func value(_ text: String, of type: SchemaType) throws(LoadError) -> Segments {
    let template = try TemplateText(text, run: run, payload: payload)
    guard template.words.count == 1 else { throw .scenario("'\(text)' is not one value") }
    return try compile(template.gaps) { (standIns) throws(TemplateFailure) in
      do {
        let json = try JSONValue(parsing: standIns.inValue(template.words[0]))
        return try SchemaJSON(schema).value(of: json, as: type).encoded()
      } catch {
        throw TemplateFailure(reason: "\(error)")
      }
    }
  }

  /// Returns the steps to a collection and those within its elements, from a path such as `todos.todos[{id}].text`.
  func elementPath(_ text: String) throws(LoadError) -> (collection: [PathStep], rest: [PathStep]) {
    guard let place = text.firstRange(of: "[{id}]") else { throw .scenario("'\(text)' has no [{id}]") }
    let collection = try path(String(text[..<place.lowerBound]))
    var failure = ""
    for kind in StandIns.Kind.allCases {
      do throws(SchemaNameError) {
        let literal = StandIns(kind: kind, flag: false).idText(0)
        let steps = try schema.path(named: text.replacing("{id}", with: literal))
        return (collection, Array(steps.dropFirst(collection.count + 1)))
      } catch {
        if failure.isEmpty { failure = "\(error)" }
      }
    }
    throw .doesNotFit(failure)
  }

  /// Returns the steps of a path without placeholders.
  func path(_ text: String, allowsWindow: Bool = false) throws(LoadError) -> [PathStep] {
    do throws(SchemaNameError) {
      return try schema.path(named: text, allowsWindow: allowsWindow)
    } catch {
      throw .doesNotFit("\(error)")
    }
  }

  private struct TemplateFailure: Error {
    var reason: String
  }

  private func compile(
    _ gaps: [Segments.Segment], _ encode: (StandIns) throws(TemplateFailure) -> [UInt8]
  ) throws(LoadError) -> Segments {
    var failure = ""
    for kind in StandIns.Kind.allCases {
      do throws(TemplateFailure) {
        let bytes = try encode(StandIns(kind: kind, flag: false, gaps: gaps))
        let flipped = gaps.contains(.toggle) ? try encode(StandIns(kind: kind, flag: true, gaps: gaps)) : bytes
        return try cut(bytes, flipped, gaps, StandIns(kind: kind, flag: false, gaps: gaps))
      } catch {
        if failure.isEmpty { failure = error.reason }
      }
    }
    throw .doesNotFit(failure)
  }

  private func cut(
    _ bytes: [UInt8], _ flipped: [UInt8], _ gaps: [Segments.Segment], _ standIns: StandIns
  ) throws(TemplateFailure) -> Segments {
    var places: [(range: Range<Int>, gap: Segments.Segment)] = []
    for (number, gap) in gaps.enumerated() {
      if gap == .toggle {
        guard let place = bytes.indices.first(where: { bytes[$0] != flipped[$0] }) else { continue }
        places.append((place..<place + 1, gap))
        continue
      }
      let pattern = standIns.bytes(number)
      var found = false
      for start in bytes.indices.dropLast(pattern.count - 1) where bytes[start...].starts(with: pattern) {
        places.append((start..<start + pattern.count, gap))
        found = true
      }
      guard found else {
        throw TemplateFailure(reason: "the schema has no value where \(gap.placeholder ?? "a placeholder") stands")
      }
    }
    var segments = Segments()
    var position = 0
    for (range, gap) in places.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      if position < range.lowerBound { segments.segments.append(.bytes(Array(bytes[position..<range.lowerBound]))) }
      segments.segments.append(gap)
      position = range.upperBound
    }
    if position < bytes.count { segments.segments.append(.bytes(Array(bytes[position...]))) }
    return segments
  }
}

/// The values that replace placeholders while an action is encoded.
private struct StandIns {
  /// The type of the stand-ins for ids and numbers. The first one that the schema accepts is used.
  enum Kind: CaseIterable {
    case wide, narrow, small, text, uuid
  }

  let kind: Kind
  let flag: Bool
  var gaps: [Segments.Segment] = []

  /// Returns a path with stand-ins.
  func inName(_ text: String) -> String { fill(text) { idText($0) } }

  /// Returns a word of JSON with stand-ins.
  func inValue(_ text: String) -> String {
    fill(text) { number in
      switch gaps[number] {
      case .toggle: flag ? "true" : "false"
      case .text: "\"\(content(number))\""
      default: valueText(number)
      }
    }
  }

  private func fill(_ text: String, _ body: (Int) -> String) -> String {
    var result = text
    for number in gaps.indices { result = result.replacing(TemplateText.marker(number), with: body(number)) }
    return result
  }

  private func content(_ number: Int) -> String { "stand-in-\(number)-of-a-text" }

  /// Returns an id as written between the brackets of a path.
  func idText(_ number: Int) -> String {
    kind == .text ? "\"\(content(number))\"" : kind == .uuid ? uuid(number) : "\(integer(number))"
  }

  private func valueText(_ number: Int) -> String {
    kind == .text || kind == .uuid ? "\"\(kind == .text ? content(number) : uuid(number))\"" : "\(integer(number))"
  }

  private func uuid(_ number: Int) -> String {
    "6C6F6164-7465-4374-8000-7374616E64\(number < 10 ? "0\(number)" : "\(number % 100)")"
  }

  private func integer(_ number: Int) -> Int {
    switch kind {
    case .wide: 7_310_579_619_200_000_000 + number
    case .narrow: 1_819_239_424 + number
    default: 27_648 + number
    }
  }

  /// Returns the bytes by which a gap is found.
  func bytes(_ number: Int) -> [UInt8] {
    var output: [UInt8] = []
    if case .text = gaps[number] {
      Segments.appendHead(3, UInt64(content(number).utf8.count), to: &output)
      return output + Array(content(number).utf8)
    }
    switch kind {
    case .wide, .narrow, .small: Segments.appendHead(0, UInt64(integer(number)), to: &output)
    case .text:
      Segments.appendHead(3, UInt64(content(number).utf8.count), to: &output)
      output += Array(content(number).utf8)
    case .uuid:
      let digits = uuid(number).filter { $0 != "-" }
      output = [0x50] + ([UInt8](hexadecimal: digits) ?? [])
    }
    return output
  }
}
