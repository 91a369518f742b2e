internal import CSDBus

/// The value of a property, of those D-Bus types that the properties of services have.
public enum BusValue: Equatable, Sendable {
  /// `b`
  case bool(Bool)
  /// `y`, `n`, `q`, `i`, `u`, `x`
  case integer(Int64)
  /// `t`
  case unsigned(UInt64)
  /// `d`
  case double(Double)
  /// `s`, `o`, `g`
  case string(String)

  /// The value if it is a Boolean.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The value if it is an integer.
  public var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value if it is a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
}

/// A received message, read from its beginning.
struct BusMessage {
  let pointer: OpaquePointer

  /// Reads a dictionary of properties, `a{sv}`, and skips properties of other types.
  func readProperties() -> [String: BusValue] {
    var properties: [String: BusValue] = [:]
    guard sd_bus_message_enter_container(pointer, CChar(UInt8(ascii: "a")), "{sv}") > 0 else { return properties }
    while sd_bus_message_enter_container(pointer, CChar(UInt8(ascii: "e")), "sv") > 0 {
      let name = readString()
      if let name, let value = readVariant() { properties[name] = value }
      sd_bus_message_exit_container(pointer)
    }
    sd_bus_message_exit_container(pointer)
    return properties
  }

  private func readString(_ type: Unicode.Scalar = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(pointer, CChar(truncatingIfNeeded: type.value), &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
  }

  private func readVariant() -> BusValue? {
    var (type, contents): (CChar, UnsafePointer<CChar>?) = (0, nil)
    guard sd_bus_message_peek_type(pointer, &type, &contents) > 0, let contents else { return nil }
    let signature = String(cString: contents)
    guard let scalar = signature.unicodeScalars.first, signature.utf8.count == 1, "bynqiuxtdsog".contains(signature)
    else {
      sd_bus_message_skip(pointer, "v")
      return nil
    }
    guard sd_bus_message_enter_container(pointer, CChar(UInt8(ascii: "v")), signature) > 0 else { return nil }
    defer { sd_bus_message_exit_container(pointer) }
    switch scalar {
    case "b": return read(CInt(0), scalar).map { .bool($0 != 0) }
    case "y": return read(UInt8(0), scalar).map { .integer(Int64($0)) }
    case "n": return read(Int16(0), scalar).map { .integer(Int64($0)) }
    case "q": return read(UInt16(0), scalar).map { .integer(Int64($0)) }
    case "i": return read(Int32(0), scalar).map { .integer(Int64($0)) }
    case "u": return read(UInt32(0), scalar).map { .integer(Int64($0)) }
    case "x": return read(Int64(0), scalar).map { .integer($0) }
    case "t": return read(UInt64(0), scalar).map { .unsigned($0) }
    case "d": return read(Double(0), scalar).map { .double($0) }
    default: return readString(scalar).map { .string($0) }
    }
  }

  private func read<Value: BitwiseCopyable>(_ initial: Value, _ type: Unicode.Scalar) -> Value? {
    var value = initial
    return sd_bus_message_read_basic(pointer, CChar(truncatingIfNeeded: type.value), &value) > 0 ? value : nil
  }
}
