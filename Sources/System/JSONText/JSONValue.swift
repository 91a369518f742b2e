/// A JSON text as a value. Numbers keep their digits, so they are not rounded, and strings are compared by their bytes.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as written in JSON.
  case number(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, whose members keep their order.
  case object([Member])

  /// A member of an object.
  public struct Member: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: JSONValue

    /// Creates a member.
    public init(_ name: String, _ value: JSONValue) {
      (self.name, self.value) = (name, value)
    }
  }

  /// A whole number.
  public static func integer(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  /// A number with all its digits; null for an infinity and NaN, which JSON cannot express.
  public static func decimal(_ value: Double) -> JSONValue { value.isFinite ? .number("\(value)") : .null }

  /// The value of an object's member; nil if this is not an object or has no such member.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}

extension JSONValue {
  /// Returns true if both have the same bytes. Canonically equivalent strings are different.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)), (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .bool(let value): hasher.combine(value)
    case .number(let text), .string(let text): hasher.combine(bytesOf: text)
    case .array(let items): hasher.combine(items)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONValue.Member {
  /// Returns true if the names and the values have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.name.utf8.elementsEqual(b.name.utf8) && a.value == b.value }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: name)
    hasher.combine(value)
  }
}

extension Hasher {
  /// Hashes the UTF-8, which two equal texts need not have in common.
  fileprivate mutating func combine(bytesOf text: String) {
    combine(text.utf8.count)
    for byte in text.utf8 { combine(byte) }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
  /// Creates an object.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0, $1) })
  }

  /// Creates a string.
  public init(stringLiteral text: String) { self = .string(text) }
}
