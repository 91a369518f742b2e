internal import CJSON
public import Wire

/// An error in a JSON text: its place and its reason.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The byte offset of the error.
  public let offset: Int
  /// The reason.
  public let reason: String

  /// The place and the reason.
  public var description: String { "this is not JSON: \(reason) at byte \(offset)" }
}

extension JSONValue {
  /// Reads one JSON text (RFC 8259).
  ///
  /// Integers of more than 64 bits and repeated names in an object are refused. A schema's integers may also be
  /// strings.
  /// - Complexity: O(bytes).
  public init(parsing text: String) throws(JSONError) {
    var text = text
    var problem = json_error_t()
    let flags = size_t(JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
    let object = text.withUTF8 { json_loadb($0.baseAddress, $0.count, flags, &problem) }
    guard let object else {
      let reason = withUnsafeBytes(of: problem.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw JSONError(offset: Int(problem.position), reason: reason)
    }
    defer { json_decref(object) }
    self = Self.value(of: object)
  }

  private static func value(of object: UnsafeMutablePointer<json_t>) -> JSONValue {
    switch object.pointee.type {
    case JSON_TRUE: return .bool(true)
    case JSON_FALSE: return .bool(false)
    case JSON_INTEGER: return .integer(json_integer_value(object))
    case JSON_REAL: return .number("\(json_real_value(object))")
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(start: json_string_value(object), count: json_string_length(object))
      return .string(String(decoding: bytes, as: UTF8.self))
    case JSON_ARRAY:
      return .array((0..<json_array_size(object)).compactMap { json_array_get(object, $0).map(value) })
    case JSON_OBJECT:
      var members: [Member] = []
      var iterator = json_object_iter(object)
      while let place = iterator {
        if let name = json_object_iter_key(place), let item = json_object_iter_value(place) {
          members.append(Member(String(cString: name), value(of: item)))
        }
        iterator = json_object_iter_next(object, place)
      }
      return .object(members)
    default: return .null
    }
  }
}
