internal import Glibc
internal import JSONText
internal import Wire

extension SchemaJSON {
  /// A value of a named type without parts; nil for a type that only its own code reads, or for a value of another
  /// form.
  func leaf(_ value: CBORValue, _ type: String) -> JSONValue? {
    switch (type, value) {
    case ("Bool", .simple(20)): .bool(false)
    case ("Bool", .simple(21)): .bool(true)
    case ("Int", _), ("Int8", _), ("Int16", _), ("Int32", _), ("Int64", _), ("Int128", _), ("UInt", _), ("UInt8", _),
      ("UInt16", _), ("UInt32", _), ("UInt64", _), ("UInt128", _), ("StackElementID", _):
      Integer(value)?.json
    case ("Double", .float(let bits)): Self.json(bits, "\(Double(bitPattern: bits))")
    case ("Float", .float(let bits)): Self.json(bits, "\(Float(Double(bitPattern: bits)))")
    case ("String", .text(let text)), ("Substring", .text(let text)), ("Character", .text(let text)),
      ("Decimal", .text(let text)), ("URL", .text(let text)):
      .string(text)
    case ("URL", .array(let items)) where items.count == 2: .array(items.map { json(of: $0, as: .named("URL")) })
    case ("Unicode.Scalar", .unsigned(let number)):
      UInt32(exactly: number).flatMap(Unicode.Scalar.init).map { .string(String(Character($0))) }
    case ("Data", .bytes(let bytes)): .string(bytes.hexadecimal)
    case ("UUID", .bytes(let bytes)) where bytes.count == 16: .string(UUIDText.text(of: bytes))
    case ("Date", .float(let bits)): DateText.json(of: Double(bitPattern: bits))
    case ("Duration", .array(let items)) where items.count == 2: DurationText.text(of: items).map { .string($0) }
    case ("TextState", .array(let pieces)): text(pieces)
    default: nil
    }
  }

  /// Reads a value of a named type without parts.
  func leaf(_ json: JSONValue, _ name: String, _ type: SchemaType) throws(SchemaValueError) -> CBORValue {
    let failure = SchemaValueError(
      "", "expected a value of type \(schema.name(of: type)), not \(json.kind)",
      suggestions: ["Double", "Float", "Date"].contains(name) ? Self.notFinite(json) : [])
    guard name != "Never" else { throw SchemaValueError("", "there is no value of type Never") }
    let value: CBORValue? =
      switch (name, json) {
      case ("Bool", .bool(let value)): .simple(value ? 21 : 20)
      case ("Int", _), ("Int8", _), ("Int16", _), ("Int32", _), ("Int64", _), ("Int128", _), ("UInt", _),
        ("UInt8", _), ("UInt16", _), ("UInt32", _), ("UInt64", _), ("UInt128", _), ("StackElementID", _):
        Integer(json)?.value
      case ("Double", _): try Self.float(json, name) { Double($0) }
      case ("Float", _): try Self.float(json, name) { Float($0).map(Double.init) }
      case ("String", .string(let text)), ("Substring", .string(let text)), ("Character", .string(let text)),
        ("Decimal", .string(let text)), ("URL", .string(let text)):
        .text(text)
      case ("Decimal", .number(let digits)): .text(digits)
      case ("URL", .array(let items)) where items.count == 2:
        .array([try leaf(items[0], name, type), try leaf(items[1], name, type)])
      case ("Unicode.Scalar", .string(let text)):
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first.map { .unsigned(UInt64($0.value)) } : nil
      case ("Data", .string(let text)): [UInt8](hexadecimal: text).map { .bytes($0) }
      case ("UUID", .string(let text)): UUIDText.bytes(of: text).map { .bytes($0) }
      case ("Date", _): DateText.seconds(of: json).map { .float(bits: $0.bitPattern) }
      case ("Duration", .string(let text)): DurationText.value(of: text)
      case ("TextState", _): try text(json)
      default: Self.encoded(json)
      }
    guard let value else { throw failure }
    do throws(WireError) {
      try schema.check(value.encoded(), type)
    } catch {
      let reason = "\(json.kind) does not fit \(schema.name(of: type))"
      if case .outOfRange = error.problem { throw SchemaValueError("", reason) }
      throw SchemaValueError("", "\(reason): \(error.problem)")
    }
    return value
  }

  /// `{"cbor": "…"}`.
  static func encoded(_ json: JSONValue) -> CBORValue? {
    guard case .object(let members) = json, members.count == 1, members[0].name == "cbor",
      case .string(let digits) = members[0].value, let bytes = [UInt8](hexadecimal: digits)
    else { return nil }
    return try? unsafe CBORValue(decoding: bytes.span.bytes)
  }

  // MARK: Floats

  /// The word for a number that is not finite, as other programs write it.
  private static func notFinite(_ json: JSONValue) -> [String] {
    guard case .string(let word) = json else { return [] }
    switch word.lowercased() {
    case "nan", "-nan", "+nan": return ["NaN"]
    case "inf", "+inf", "infinity", "+infinity": return ["Infinity"]
    case "-inf", "-infinity": return ["-Infinity"]
    default: return []
    }
  }

  private static func json(_ bits: UInt64, _ digits: String) -> JSONValue {
    let value = Double(bitPattern: bits)
    if value.isFinite { return .number(digits) }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    return .string(bits == Double.nan.bitPattern ? "NaN" : "NaN(\(String(bits, radix: 16)))")
  }

  private static func float(
    _ json: JSONValue, _ name: String, _ number: (String) -> Double?
  ) throws(SchemaValueError) -> CBORValue? {
    /// Digits out of range would become an infinity.
    func finite(_ digits: String) throws(SchemaValueError) -> CBORValue? {
      guard let value = number(digits) else { return nil }
      guard value.isFinite else { throw SchemaValueError("", "\(json.kind) does not fit \(name)") }
      return .float(bits: value.bitPattern)
    }
    switch json {
    case .number(let digits): return try finite(digits)
    case .string("NaN"): return .float(bits: Double.nan.bitPattern)
    case .string("Infinity"): return .float(bits: Double.infinity.bitPattern)
    case .string("-Infinity"): return .float(bits: (-Double.infinity).bitPattern)
    case .string(let text) where text.hasPrefix("NaN(") && text.hasSuffix(")"):
      guard let bits = UInt64(text.dropFirst(4).dropLast(), radix: 16), Double(bitPattern: bits).isNaN else {
        return nil
      }
      return .float(bits: bits)
    case .string(let text):
      // Digits only: no hexadecimal, and no other words for infinities and NaNs.
      guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
      return try finite(text)
    default: return nil
    }
  }
}

/// An integer of up to 128 bits.
private struct Integer {
  private let isNegative: Bool
  /// The number, or −1 minus it if it is negative.
  private let argument: UInt128

  init?(_ value: CBORValue) {
    switch value {
    case .unsigned(let number): (isNegative, argument) = (false, UInt128(number))
    case .negative(let number): (isNegative, argument) = (true, UInt128(number))
    case .tagged(let tag, .bytes(let bytes)) where (tag == 2 || tag == 3) && bytes.count <= 16:
      (isNegative, argument) = (tag == 3, bytes.reduce(0) { $0 << 8 | UInt128($1) })
      if isNegative, argument > UInt128(Int128.max) { return nil }
    default: return nil
    }
  }

  init?(_ json: JSONValue) {
    guard let text = json.digits else { return nil }
    if let number = UInt128(text) {
      (isNegative, argument) = (false, number)
    } else if let number = Int128(text) {
      (isNegative, argument) = (true, UInt128(-1 - number))
    } else if let number = Double(text), let exact = Int64(exactly: number), exact.magnitude < 1 << 53 {
      // 1e3 and 2.0 are also integers.
      (isNegative, argument) = (exact < 0, UInt128(exact < 0 ? -1 - exact : exact))
    } else {
      return nil
    }
  }

  var json: JSONValue {
    let digits = isNegative ? "\(-1 - Int128(argument))" : "\(argument)"
    return argument < 1 << 53 - (isNegative ? 1 : 0) ? .number(digits) : .string(digits)
  }

  var value: CBORValue {
    if let small = UInt64(exactly: argument) { return isNegative ? .negative(small) : .unsigned(small) }
    let bytes = (0..<16).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * $0)) }
    return .tagged(isNegative ? 3 : 2, .bytes(Array(bytes.drop { $0 == 0 })))
  }
}

extension JSONValue {
  /// The digits of a number, which may be a string.
  fileprivate var digits: String? {
    switch self {
    case .number(let digits): digits
    case .string(let text) where text.utf8.allSatisfy { "-0123456789".utf8.contains($0) }: text
    default: nil
    }
  }
}

/// UUIDs in the form of RFC 9562.
private enum UUIDText {
  static func text(of bytes: [UInt8]) -> String {
    let digits = bytes.hexadecimal.uppercased()
    var (parts, rest): ([Substring], Substring) = ([], digits[...])
    for count in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return parts.joined(separator: "-")
  }

  static func bytes(of text: String) -> [UInt8]? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
    return [UInt8](hexadecimal: parts.joined())
  }
}

/// Durations as decimal seconds: `-1.5s`.
private enum DurationText {
  static func text(of items: [CBORValue]) -> String? {
    guard let seconds = number(items[0]), let attoseconds = number(items[1]) else { return nil }
    guard seconds.signum() * attoseconds.signum() >= 0, attoseconds.magnitude < 1_000_000_000_000_000_000 else {
      return nil
    }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    let digits = "\(attoseconds.magnitude)"
    var fraction = String(repeating: "0", count: 18 - digits.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(seconds.magnitude)\(fraction.isEmpty ? "" : ".\(fraction)")s"
  }

  static func value(of text: String) -> CBORValue? {
    guard text.hasSuffix("s") else { return nil }
    let isNegative = text.hasPrefix("-")
    let parts = text.dropLast().dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, let seconds = UInt64(whole), seconds <= Int64.max else {
      return nil
    }
    let fraction = parts.count == 2 ? parts[1] : "0"
    guard !fraction.isEmpty, fraction.count <= 18, fraction.utf8.allSatisfy({ (48...57).contains($0) }),
      let attoseconds = UInt64(fraction + String(repeating: "0", count: 18 - fraction.count))
    else { return nil }
    return .array([item(seconds, isNegative), item(attoseconds, isNegative)])
  }

  private static func item(_ magnitude: UInt64, _ isNegative: Bool) -> CBORValue {
    isNegative && magnitude > 0 ? .negative(magnitude - 1) : .unsigned(magnitude)
  }

  private static func number(_ value: CBORValue) -> Int64? {
    switch value {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let argument): Int64(exactly: argument).map { -1 - $0 }
    default: nil
    }
  }
}

/// Dates in the form of RFC 3339, in UTC, with all their digits.
private enum DateText {
  /// The seconds from 1970 to 2001, the reference date of the hub's encoding.
  private static let reference = 978_307_200
  /// The seconds since 2001 of the years 0001 to 9999.
  private static let years = -62_135_596_800 - reference..<253_402_300_800 - reference

  static func json(of seconds: Double) -> JSONValue {
    guard let text = text(of: seconds), self.seconds(of: .string(text))?.bitPattern == seconds.bitPattern else {
      // Outside the calendar's range, or with digits that it cannot show.
      return SchemaJSON(Schema(state: Bool.self, action: Bool.self)).json(
        of: .float(bits: seconds.bitPattern), as: .named("Double"))
    }
    return .string(text)
  }

  private static func text(of seconds: Double) -> String? {
    guard let whole = Int(exactly: seconds.rounded(.down)), years.contains(whole) else { return nil }
    // Exact: both are multiples of the last bit of `seconds`, and the difference is smaller.
    let fraction = seconds - Double(whole)
    var time = time_t(whole + reference)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&time, &parts) != nil else { return nil }
    func padded(_ number: Int32, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
    }
    let day = unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    let clock = unsafe "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    // Without an exponent, the digits of the fraction follow "0.".
    let digits = "\(fraction)"
    guard digits.hasPrefix("0."), !digits.contains("e") else { return nil }
    return "\(day)T\(clock)\(fraction == 0 ? "" : digits.dropFirst())Z"
  }

  static func seconds(of json: JSONValue) -> Double? {
    guard case .string(let text) = json else {
      guard case .number(let digits) = json else { return nil }
      return Double(digits).flatMap { $0.isFinite ? $0 : nil }
    }
    switch text {
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case "NaN": return .nan
    default: break
    }
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T") else { return nil }
    func number(_ range: Range<Int>) -> Int32? { Int32(String(decoding: bytes[range], as: UTF8.self)) }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    guard [4, 7].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      [13, 16].allSatisfy({ bytes[$0] == UInt8(ascii: ":") })
    else { return nil }
    var parts = unsafe tm()
    unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
    unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    // Otherwise 31 February would be read as 3 March. A leap second may end a day, so the day is checked at noon.
    var noon = unsafe parts
    unsafe (noon.tm_hour, noon.tm_min, noon.tm_sec) = (12, 0, 0)
    _ = unsafe timegm(&noon)
    guard unsafe noon.tm_mday == day else { return nil }
    let whole = unsafe timegm(&parts) - reference
    let rest = String(decoding: bytes[19..<bytes.count - 1], as: UTF8.self)
    guard !rest.isEmpty else { return Double(whole) }
    guard rest.hasPrefix("."), rest.count > 1, rest.dropFirst().utf8.allSatisfy({ (48...57).contains($0) }),
      let fraction = Double("0" + rest)
    else { return nil }
    return Double(whole) + fraction
  }
}
