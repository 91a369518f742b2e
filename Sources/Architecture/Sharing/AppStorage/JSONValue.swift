internal import FoundationEssentials

/// Any value in a settings file; entries without a key are preserved.
///
/// A number has one form only, so that what is read equals what was written: the first of these cases that holds it
/// exactly. A decimal has up to 38 digits.
enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case uint(UInt)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let int = try? container.decode(Int.self), Self.isExact(Decimal(int), in: container) {
      self = .int(int)
    } else if let uint = try? container.decode(UInt.self), Self.isExact(Decimal(uint), in: container) {
      self = .uint(uint)
    } else if let double = try? container.decode(Double.self) {
      let decimal = try? container.decode(Decimal.self)
      // The decimal has digits that the double has not, unless it is beyond a decimal's range.
      let exact = decimal.flatMap { Decimal(string: double.description) == $0 ? nil : JSONValue.decimal($0) }
      self = exact ?? .double(double)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Returns false for a fraction, which is also decoded as an integer if a double rounds it off.
  private static func isExact(_ integer: Decimal, in container: any SingleValueDecodingContainer) -> Bool {
    (try? container.decode(Decimal.self)).map { $0 == integer } ?? true
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .int(let int): try container.encode(int)
    case .uint(let uint): try container.encode(uint)
    case .double(let double): try container.encode(double)
    case .decimal(let decimal): try container.encode(decimal)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }
}

extension JSONValue {
  /// A finite number.
  init(_ double: Double) {
    if let int = Int(exactly: double) {
      self = .int(int)
    } else {
      self = UInt(exactly: double).map(JSONValue.uint) ?? .double(double)
    }
  }

  /// A decimal number.
  init(_ decimal: Decimal) {
    let digits = decimal.description
    if let int = Int(digits) {
      self = .int(int)
    } else if let uint = UInt(digits) {
      self = .uint(uint)
    } else if let double = Double(digits), Decimal(digits: double) == decimal {
      self = .double(double)
    } else {
      self = .decimal(decimal)
    }
  }

  /// Encodes a value with `JSONEncoder`.
  init(encoding value: some Encodable) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }

  /// Returns the value that this JSON encodes.
  func decoded<Value: Decodable>() throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(self))
  }
}

extension Decimal {
  /// The shortest digits that denote a number; nil if they do not fit.
  init?(digits number: Double) {
    guard let decimal = Decimal(string: number.description), Double(decimal.description) == number else { return nil }
    self = decimal
  }
}
