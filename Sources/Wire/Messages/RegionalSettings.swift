/// The names of the calendar, the time zone and the locale that a hub's reducer reads.
///
/// Encoded as a map of those that differ from the standard: `{? 1: calendar, ? 2: time zone, ? 3: locale}`.
public struct RegionalSettings: Hashable, Sendable {
  /// The name of the calendar, such as `gregorian` or `iso8601`.
  public var calendar: String
  /// The name of the time zone, such as `Europe/Berlin`, or an offset such as `GMT+02:00`.
  public var timeZone: String
  /// The identifier of the locale, such as `de_DE`.
  public var locale: String

  /// Creates settings; by default those of a hub whose operator has chosen none.
  public init(calendar: String = "gregorian", timeZone: String = "GMT", locale: String = "en_US_POSIX") {
    (self.calendar, self.timeZone, self.locale) = (calendar, timeZone, locale)
  }

  /// The settings of a hub whose operator has chosen none, and of all hubs that do not say: the Gregorian calendar, GMT
  /// and `en_US_POSIX`.
  public static let standard = RegionalSettings()

  /// The maximum length of a name in bytes.
  package static let nameLimit = 128
}

extension RegionalSettings: WireValue {
  /// Writes `{? 1: calendar, ? 2: time zone, ? 3: locale}`.
  public func encode(to encoder: inout CBOREncoder) {
    let standard = Self.standard
    let names: [(UInt64, String, standard: String)] = [
      (1, calendar, standard.calendar), (2, timeZone, standard.timeZone), (3, locale, standard.locale),
    ]
    let others = names.filter { $0.1 != $0.standard }
    encoder.mapHeader(count: others.count)
    for (key, name, _) in others {
      encoder.unsigned(key)
      encoder.text(name)
    }
  }

  /// Reads settings, and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 1: calendar = try decoder.text(limit: Self.nameLimit)
      case 2: timeZone = try decoder.text(limit: Self.nameLimit)
      case 3: locale = try decoder.text(limit: Self.nameLimit)
      default: try decoder.skip()
      }
    }
  }
}
