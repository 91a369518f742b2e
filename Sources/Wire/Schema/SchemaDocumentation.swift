/// The documentation comments of a schema's types, fields and cases.
///
/// They are no part of the schema: its fingerprint is the same with other comments, or without any. A hub sends them on
/// request, in the frame of its schema.
public struct SchemaDocumentation: Hashable, Sendable {
  /// The maximum length of one comment in bytes; a longer one is cut.
  public static var textLimit: Int { 4096 }
  /// The maximum length of all comments together in bytes; further ones are left out.
  public static var byteLimit: Int { 1 << 18 }

  /// The comments of a definition.
  struct Entry: Hashable, Sendable {
    /// The comment of the type; empty if there is none.
    var text = ""
    /// The comments of its fields or cases under their keys, none of them empty.
    var members: [UInt64: String] = [:]

    var isEmpty: Bool { text.isEmpty && members.isEmpty }
  }

  /// The comments of the definitions that have any, under their indices.
  private(set) var entries: [Int: Entry] = [:]
  private var byteCount = 0

  /// Creates a documentation without comments.
  public init() {}

  /// The comments of a feature's types, as in their source.
  /// - Complexity: That of describing the feature's schema.
  public init<State: WireValue, Action: WireValue>(state: State.Type, action: Action.Type) {
    var builder = SchemaBuilder(documentation: SchemaDocumentation())
    _ = State.schema(in: &builder)
    _ = Action.schema(in: &builder)
    self = builder.documentation ?? SchemaDocumentation()
  }

  /// True if there is no comment.
  public var isEmpty: Bool { entries.isEmpty }

  /// The comment of a type in Markdown, with its line breaks; nil if there is none.
  ///
  /// - Parameter index: The index of its definition in the schema.
  public func text(of index: Int) -> String? {
    guard let text = entries[index]?.text, !text.isEmpty else { return nil }
    return text
  }

  /// The comment of a field or a case in Markdown, with its line breaks; nil if there is none.
  ///
  /// - Parameters:
  ///   - key: Its key on the wire.
  ///   - index: The index of its type's definition in the schema.
  public func text(ofMember key: UInt64, of index: Int) -> String? { entries[index]?.members[key] }

  /// Returns the first paragraph of a comment, as one line.
  public static func summary(of text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop(while: isBlank).prefix {
      !isBlank($0)
    }
    return lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }

  /// Adds the comments of a definition, shortened to the limits: that of the type, empty if there is none, and those of
  /// its fields or cases under their keys.
  package mutating func add(_ text: String, members: [UInt64: String], of index: Int) {
    add(Entry(text: text, members: members), of: index)
  }

  /// Adds the comments of a definition, shortened to the limits.
  mutating func add(_ entry: Entry, of index: Int) {
    var kept = Entry()
    kept.text = taken(entry.text)
    for (key, text) in entry.members.sorted(by: { $0.key < $1.key }) {
      let text = taken(text)
      if !text.isEmpty { kept.members[key] = text }
    }
    if !kept.isEmpty { entries[index] = kept }
  }

  /// Returns a comment that is cut to the limit of one; empty if it exceeds the limit of all.
  private mutating func taken(_ text: String) -> String {
    let text = text.utf8.count > Self.textLimit ? Self.cut(text) : text
    guard byteCount + text.utf8.count <= Self.byteLimit else { return "" }
    byteCount += text.utf8.count
    return text
  }

  private static func cut(_ text: String) -> String {
    let mark = "…"
    var end = text.utf8.index(text.startIndex, offsetBy: textLimit - mark.utf8.count)
    while end > text.startIndex, end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
    return text[..<end] + mark
  }
}

// MARK: - Bytes

extension SchemaDocumentation: WireValue {
  /// Writes `{index: [text, {key: text}]}` with the definitions that have comments.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: entries.count)
    for (index, entry) in entries.sorted(by: { $0.key < $1.key }) {
      encoder.unsigned(UInt64(index))
      encoder.arrayHeader(count: 2)
      encoder.text(entry.text)
      encoder.mapHeader(count: entry.members.count)
      for (key, text) in entry.members.sorted(by: { $0.key < $1.key }) {
        encoder.unsigned(key)
        encoder.text(text)
      }
    }
  }

  /// Reads comments, and refuses more or longer ones than the limits allow.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    var definitions = try decoder.fields()
    while let index = try decoder.nextKey(of: &definitions) {
      let start = decoder.offset
      guard index < UInt64(Schema.definitionLimit) else {
        throw WireError(.outOfRange(type: "index of a definition"), at: start)
      }
      try decoder.tuple(2)
      var entry = Entry()
      entry.text = try comment(from: &decoder)
      var members = try decoder.fields()
      while let key = try decoder.nextKey(of: &members) {
        let start = decoder.offset
        let text = try comment(from: &decoder)
        guard !text.isEmpty else { throw WireError(.typeMismatch(expected: "a comment"), at: start) }
        entry.members[key] = text
      }
      guard !entry.isEmpty else { throw WireError(.typeMismatch(expected: "a comment"), at: start) }
      entries[Int(index)] = entry
    }
  }

  private mutating func comment(from decoder: inout CBORDecoder) throws(WireError) -> String {
    let start = decoder.offset
    let text = try decoder.text(limit: Self.textLimit)
    byteCount += text.utf8.count
    guard byteCount <= Self.byteLimit else {
      throw WireError(.tooLong(length: UInt64(byteCount), limit: Self.byteLimit), at: start)
    }
    return text
  }
}

/// A schema with its documentation, as a hub sends them together.
public struct DocumentedSchema: Hashable, Sendable {
  /// The bit in the header's flags of *describe* that requests the documentation, and in those of *schema* that marks a
  /// payload of this type.
  public static var flag: UInt8 { 1 }

  /// The types.
  public var schema: Schema
  /// Their comments.
  public var documentation: SchemaDocumentation

  /// Creates a schema with its documentation.
  public init(_ schema: Schema, _ documentation: SchemaDocumentation) {
    (self.schema, self.documentation) = (schema, documentation)
  }
}

extension DocumentedSchema: WireValue {
  /// Writes `[schema, documentation]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    schema.encode(to: &encoder)
    documentation.encode(to: &encoder)
  }

  /// Reads both, and refuses a comment of a definition that the schema does not have.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    schema = try Schema(from: &decoder)
    let start = decoder.offset
    documentation = try SchemaDocumentation(from: &decoder)
    guard documentation.entries.keys.allSatisfy(schema.definitions.indices.contains) else {
      throw WireError(.outOfRange(type: "index of a definition"), at: start)
    }
  }
}
