internal import CJSON
package import JSONText

/// An error in a JSON text: its place and its reason.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The byte offset of the error.
  package let offset: Int
  /// The reason.
  package let reason: String

  /// The place and the reason.
  package var description: String { "this is not JSON: \(reason) at byte \(offset)" }
}

extension JSONValue {
  /// Reads one JSON text (RFC 8259).
  ///
  /// Numbers keep their digits. Integers of more than 64 bits and repeated names in an object are refused. A schema's integers may also be
  /// strings.
  /// - Complexity: O(bytes).
  package init(parsing text: String) throws(JSONError) {
    var text = text
    var problem = json_error_t()
    let flags = size_t(JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
    let object = text.withUTF8 { json_loadb($0.baseAddress, $0.count, flags, &problem) }
    guard let object else {
      let reason = withUnsafeBytes(of: problem.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw JSONError(offset: Int(problem.position), reason: reason)
    }
    defer { json_decref(object) }
    var reals = Self.reals(in: text).makeIterator()
    self = Self.value(of: object, &reals)
  }

  /// Returns the numbers of a JSON text that have a fraction or an exponent, in their order. Jansson rounds them.
  private static func reals(in text: String) -> [String] {
    var reals: [String] = []
    var rest = text.utf8[...]
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""):
        rest.removeFirst()
        while let inside = rest.popFirst(), inside != UInt8(ascii: "\"") {
          if inside == UInt8(ascii: "\\") { _ = rest.popFirst() }
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let number = rest.prefix { "+-.eE0123456789".utf8.contains($0) }
        if number.contains(where: { ".eE".utf8.contains($0) }) { reals.append("\(Substring(number))") }
        rest = rest[number.endIndex...]
      default: rest.removeFirst()
      }
    }
    return reals
  }

  /// Returns a value, whose members are in the order of the text.
  private static func value(
    of object: UnsafeMutablePointer<json_t>, _ reals: inout IndexingIterator<[String]>
  ) -> JSONValue {
    switch object.pointee.type {
    case JSON_TRUE: return .bool(true)
    case JSON_FALSE: return .bool(false)
    case JSON_INTEGER: return .integer(json_integer_value(object))
    case JSON_REAL: return .number(reals.next() ?? "\(json_real_value(object))")
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(start: json_string_value(object), count: json_string_length(object))
      return .string(String(decoding: bytes, as: UTF8.self))
    case JSON_ARRAY:
      var items: [JSONValue] = []
      for index in 0..<json_array_size(object) {
        if let item = json_array_get(object, index) { items.append(value(of: item, &reals)) }
      }
      return .array(items)
    case JSON_OBJECT:
      var members: [Member] = []
      var iterator = json_object_iter(object)
      while let place = iterator {
        if let name = json_object_iter_key(place), let item = json_object_iter_value(place) {
          members.append(Member(String(cString: name), value(of: item, &reals)))
        }
        iterator = json_object_iter_next(object, place)
      }
      return .object(members)
    default: return .null
    }
  }
}
