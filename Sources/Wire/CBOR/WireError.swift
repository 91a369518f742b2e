/// Bytes that violate the protocol: the problem, and its offset.
///
/// A peer's bytes are an operational matter: the receiver refuses the message (or the peer) with this error and loses
/// no data of its own. Offsets count from the start of the decoded span.
public struct WireError: Error, Equatable, Sendable {
  /// The kinds of problems.
  public enum Problem: Equatable, Sendable {
    /// The bytes end inside an item.
    case truncated
    /// A well-formed item of another kind stands in place of `expected`.
    case typeMismatch(expected: String)
    /// An integer, length or float is not in its shortest form (RFC 8949 §4.2.1).
    case notShortest
    /// An array of one item where the item alone is required: the key of a case without a payload, a type without
    /// parts.
    case arrayOfOne
    /// An indefinite length or a stray break; deterministic encoding has neither (RFC 8949 §4.2.1).
    case indefiniteLength
    /// Additional information 28–30, or a simple value below 32 in two bytes (RFC 8949 §3).
    case reserved
    /// Text that is not UTF-8.
    case invalidUTF8
    /// Text for display has a control character, or one that changes the direction of writing.
    case controlCharacter(Unicode.Scalar)
    /// A number is out of the type's range.
    case outOfRange(type: String)
    /// Keys of a map, members of a set or positions are not in ascending order.
    case keysOutOfOrder
    /// A key of a map or a member of a set is there twice: the same bytes, or a value that equals another one.
    case repeatedKey
    /// Items are nested deeper than `limit`.
    case tooDeep(limit: Int)
    /// A length exceeds the reader's limit; nothing was allocated for it.
    case tooLong(length: UInt64, limit: Int)
    /// A field without a default is absent.
    case missingField(key: UInt64, type: String)
    /// The receiver does not have this enum case, message kind or field.
    case unknownCase(UInt64, type: String)
    /// The receiver's type does not have the enum case with this name, which the sender's has.
    case unknownName(String, type: String)
    /// The receiver's type does not have the field with this name, which the sender changes in a shared model.
    case unknownField(String, type: String)
    /// Two elements of an identified array have the same id.
    case repeatedID
    /// A delta was not taken from the value to which it is applied.
    case doesNotFit(type: String)
    /// A change would give an element another id.
    case changedID
    /// Bytes follow the end of the item.
    case trailingBytes
  }

  /// The kind of problem.
  public let problem: Problem
  /// The offset of the problem, from the start of the decoded span.
  public let offset: Int

  /// Creates an error. Decoders of hand-written types use it to refuse values that their type does not have.
  @inlinable
  public init(_ problem: Problem, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}

extension WireError: CustomStringConvertible {
  /// One sentence for a log or a peer, such as `byte 3: an integer is not in its shortest form`.
  public var description: String { "byte \(offset): \(problem)" }
}

extension WireError.Problem: CustomStringConvertible {
  /// The problem as a clause without an offset.
  public var description: String {
    switch self {
    case .truncated: "the bytes end inside an item"
    case .typeMismatch(let expected): "expected \(expected)"
    case .notShortest: "a number or length is not in its shortest form"
    case .arrayOfOne: "an array of one item stands where the item alone must"
    case .indefiniteLength: "indefinite lengths are not allowed"
    case .reserved: "a reserved encoding"
    case .invalidUTF8: "text is not UTF-8"
    case .controlCharacter(let scalar):
      "the character U+\(String(scalar.value, radix: 16, uppercase: true)) is not allowed in a name"
    case .outOfRange(let type): "the number does not fit \(type)"
    case .keysOutOfOrder: "keys, members or positions are not in ascending order"
    case .repeatedKey: "a key or a member equals another one"
    case .tooDeep(let limit): "items are nested deeper than \(limit)"
    case .tooLong(let length, let limit): "a length of \(length) exceeds the limit of \(limit)"
    case .missingField(let key, let type): "field \(key) of \(type) is missing"
    case .unknownCase(let key, let type): "\(type) has no case \(key)"
    case .unknownName(let name, let type): "\(type) has no case named '\(name)'"
    case .unknownField(let name, let type): "\(type) has no field named '\(name)'"
    case .repeatedID: "an element has the id of another one"
    case .doesNotFit(let type): "the delta was not taken from this \(type)"
    case .changedID: "the change would give an element another id"
    case .trailingBytes: "bytes follow the end of the item"
    }
  }
}
