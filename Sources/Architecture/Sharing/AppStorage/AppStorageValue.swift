public import FoundationEssentials

/// A type of values in the settings of an application.
///
/// Do not conform to it elsewhere: give a type a raw value of one of these types instead.
public protocol AppStorageValue: Sendable {
  /// The form in the file; not to be used elsewhere.
  var _appStorage: AppStorageRepresentation { get }
  /// Creates the value from the file, if it is of this type; not to be used elsewhere.
  init?(_appStorage: AppStorageRepresentation)
}

/// A value in the form of the settings file.
public struct AppStorageRepresentation: Sendable {
  let json: JSONValue
}

extension Bool: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .bool(self)) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .bool(let bool) = _appStorage.json else { return nil }
    self = bool
  }
}

extension Int: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .int(self)) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .int(let int) = _appStorage.json else { return nil }
    self = int
  }
}

/// A number; infinities and NaN, which JSON lacks, are strings.
extension Double: AppStorageValue {
  public var _appStorage: AppStorageRepresentation {
    .init(json: isFinite ? JSONValue(self) : .string(description))
  }

  public init?(_appStorage: AppStorageRepresentation) {
    switch _appStorage.json {
    case .double(let double): self = double
    case .int(let int): self = Double(int)
    case .uint(let uint): self = Double(uint)
    case .decimal(let decimal):
      guard let double = Double(decimal.description) else { return nil }
      self = double
    case .string(let string):
      guard let double = Double(string), !double.isFinite else { return nil }
      self = double
    default: return nil
    }
  }
}

extension String: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .string(self)) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .string(let string) = _appStorage.json else { return nil }
    self = string
  }
}

/// Bytes, as base 64.
extension Data: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .string(base64EncodedString())) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .string(let string) = _appStorage.json else { return nil }
    self.init(base64Encoded: string)
  }
}

extension URL: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .string(absoluteString)) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .string(let string) = _appStorage.json else { return nil }
    self.init(string: string)
  }
}

/// A date, as seconds since 1 January 1970, which `date -d @…` shows.
///
/// A date counts from 2001. The difference is added in decimal, because a binary sum would lose the last bits. It is
/// exact to 20 digits after the point.
extension Date: AppStorageValue {
  public var _appStorage: AppStorageRepresentation {
    guard let seconds = Decimal(digits: timeIntervalSinceReferenceDate) else {
      return timeIntervalSince1970._appStorage
    }
    return .init(json: JSONValue(seconds + Decimal(Date.timeIntervalBetween1970AndReferenceDate)))
  }

  public init?(_appStorage: AppStorageRepresentation) {
    guard let seconds = Double(_appStorage: _appStorage) else { return nil }
    let digits: Decimal? =
      switch _appStorage.json {
      case .int(let int): Decimal(int)
      case .uint(let uint): Decimal(uint)
      case .decimal(let decimal): decimal
      default: Decimal(digits: seconds)
      }
    let sinceReference = digits.map { $0 - Decimal(Date.timeIntervalBetween1970AndReferenceDate) }
    guard let exact = sinceReference.flatMap({ Double($0.description) }) else {
      self.init(timeIntervalSince1970: seconds)
      return
    }
    self.init(timeIntervalSinceReferenceDate: exact)
  }
}

extension Array: AppStorageValue where Element: AppStorageValue {
  public var _appStorage: AppStorageRepresentation { .init(json: .array(map(\._appStorage.json))) }

  public init?(_appStorage: AppStorageRepresentation) {
    guard case .array(let array) = _appStorage.json else { return nil }
    let elements = array.compactMap { Element(_appStorage: AppStorageRepresentation(json: $0)) }
    guard elements.count == array.count else { return nil }
    self = elements
  }
}
