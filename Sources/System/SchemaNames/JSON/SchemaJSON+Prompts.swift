internal import JSONText
internal import Wire

// Alerts and dialogs as objects, and their texts as strings, or as arrays of styled pieces.

extension SchemaJSON {
  private static let flags = ["bold", "italic", "monospaced", "strikethrough"]
  private static let colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "secondary"]
  private static let weights = [
    "ultraLight", "thin", "light", "regular", "medium", "semibold", "bold", "heavy", "black",
  ]
  private static let roles = ["cancel", "destructive"]
  private static let visibilities = ["automatic", "hidden", "visible"]

  // MARK: To JSON

  func prompt(_ items: [CBORValue], _ layout: NamedLayout, _ action: SchemaType) -> JSONValue? {
    let text = SchemaType.named("TextState")
    switch layout {
    case .button:
      guard items.count == 3, let role = Self.word(items[0], Self.roles, isOptional: true) else { return nil }
      return [
        "role": role, "action": json(of: items[1], as: .named("Optional", [action])),
        "label": json(of: items[2], as: text),
      ]
    case .alert, .dialog:
      guard items.count == (layout == .alert ? 3 : 4), case .array(let buttons)? = items.last else { return nil }
      let button = SchemaType.named("ButtonState", [action])
      var members: [JSONValue.Member] = []
      if layout == .dialog {
        guard let visibility = Self.word(items[0], Self.visibilities) else { return nil }
        members.append(JSONValue.Member("titleVisibility", visibility))
      }
      members.append(JSONValue.Member("title", json(of: items[items.count - 3], as: text)))
      members.append(JSONValue.Member("message", json(of: items[items.count - 2], as: .named("Optional", [text]))))
      members.append(JSONValue.Member("buttons", .array(buttons.map { json(of: $0, as: button) })))
      return .object(members)
    default: return nil
    }
  }

  private static func word(_ value: CBORValue, _ words: [String], isOptional: Bool = false) -> JSONValue? {
    if isOptional, value == .null { return .null }
    guard case .unsigned(let index) = value, index < UInt64(words.count) else { return nil }
    return .string(words[Int(index)])
  }

  func text(_ pieces: [CBORValue]) -> JSONValue? {
    guard !pieces.isEmpty else { return "" }
    var items: [JSONValue] = []
    for piece in pieces {
      guard case .array(let parts) = piece, parts.count == 2, case .text(let text) = parts[0],
        case .map(let style) = parts[1]
      else { return nil }
      if style.isEmpty, pieces.count == 1, !text.isEmpty { return .string(text) }
      var members = [JSONValue.Member("text", .string(text))]
      for pair in style {
        guard case .unsigned(let key) = pair.key, let member = styleMember(key, pair.value) else { return nil }
        members.append(member)
      }
      items.append(.object(members))
    }
    return .array(items)
  }

  private func styleMember(_ key: UInt64, _ value: CBORValue) -> JSONValue.Member? {
    switch (key, value) {
    case (0...3, .simple(21)): return JSONValue.Member(Self.flags[Int(key)], .bool(true))
    case (4, .array(let parts)) where parts.count == 4 && parts[0] == .unsigned(9):
      return JSONValue.Member("color", .array(parts.dropFirst().map { json(of: $0, as: .named("Double")) }))
    case (4, _): return Self.word(value, Self.colors).map { JSONValue.Member("color", $0) }
    case (5, _): return Self.word(value, Self.weights).map { JSONValue.Member("weight", $0) }
    case (6, .text(let label)): return JSONValue.Member("accessibilityLabel", .string(label))
    default: return nil
    }
  }

  // MARK: From JSON

  func prompt(_ json: JSONValue, _ layout: NamedLayout, _ action: SchemaType) throws(SchemaValueError) -> CBORValue {
    let names =
      switch layout {
      case .button: ["role", "action", "label"]
      case .dialog: ["titleVisibility", "title", "message", "buttons"]
      default: ["title", "message", "buttons"]
      }
    guard case .object(let members) = json, members.allSatisfy({ names.contains($0.name) }) else {
      throw SchemaValueError("", "expected an object with \(names.joined(separator: ", ")), not \(json.kind)")
    }
    var items: [CBORValue] = []
    for name in names {
      let given = json[name] ?? .null
      do throws(SchemaValueError) {
        items.append(try part(name, given, action))
      } catch {
        throw error.inside(name)
      }
    }
    return .array(items)
  }

  private func part(_ name: String, _ json: JSONValue, _ action: SchemaType) throws(SchemaValueError) -> CBORValue {
    switch name {
    case "role": return json == .null ? .null : try Self.index(json, Self.roles)
    case "action": return try value(of: json, as: .named("Optional", [action]))
    case "titleVisibility": return json == .null ? .unsigned(0) : try Self.index(json, Self.visibilities)
    case "message": return try value(of: json, as: .named("Optional", [.named("TextState")]))
    case "buttons": return try value(of: json, as: .named("Array", [.named("ButtonState", [action])]))
    default: return try value(of: json, as: .named("TextState"))
    }
  }

  private static func index(_ json: JSONValue, _ words: [String]) throws(SchemaValueError) -> CBORValue {
    guard case .string(let word) = json, let index = words.firstIndex(of: word) else {
      throw SchemaValueError("", "expected one of \(words.joined(separator: ", ")), not \(json.kind)")
    }
    return .unsigned(UInt64(index))
  }

  func text(_ json: JSONValue) throws(SchemaValueError) -> CBORValue {
    switch json {
    case .string(let text): return .array(text.isEmpty ? [] : [.array([.text(text), .map([])])])
    case .array(let pieces):
      var items: [CBORValue] = []
      for (index, piece) in pieces.enumerated() {
        do throws(SchemaValueError) {
          items.append(try textPiece(piece))
        } catch {
          throw error.inside("[\(index)]")
        }
      }
      return .array(items)
    default: throw SchemaValueError("", "expected a text, not \(json.kind)")
    }
  }

  private func textPiece(_ json: JSONValue) throws(SchemaValueError) -> CBORValue {
    guard case .object(let members) = json, case .string(let text)? = json["text"] else {
      throw SchemaValueError("", "expected an object with a text, not \(json.kind)")
    }
    var style: [CBORValue.Pair] = []
    for member in members where member.name != "text" {
      let (key, value) = try styleValue(member)
      style.append(CBORValue.Pair(key: .unsigned(key), value: value))
    }
    style.sort { $0.key.encoded().lexicographicallyPrecedes($1.key.encoded()) }
    return .array([.text(text), .map(style)])
  }

  private func styleValue(_ member: JSONValue.Member) throws(SchemaValueError) -> (UInt64, CBORValue) {
    switch (member.name, member.value) {
    case ("color", .array(let parts)) where parts.count == 3:
      var items: [CBORValue] = [.unsigned(9)]
      for part in parts { items.append(try value(of: part, as: .named("Double"))) }
      return (4, .array(items))
    case ("color", let color): return (4, try Self.index(color, Self.colors))
    case ("weight", let weight): return (5, try Self.index(weight, Self.weights))
    case ("accessibilityLabel", .string(let label)): return (6, .text(label))
    case (let name, .bool(true)):
      guard let key = Self.flags.firstIndex(of: name) else { fallthrough }
      return (UInt64(key), .simple(21))
    default: throw SchemaValueError(member.name, "a text has no such style")
    }
  }
}
