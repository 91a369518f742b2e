internal import HubCore
package import Wire

/// A setting of `[region]`: a name that reducers read as a dependency.
package enum RegionSetting: String, CaseIterable, Sendable {
  case calendar
  case timeZone = "time-zone"
  case locale

  /// The place of the setting.
  package var path: WritableKeyPath<RegionalSettings, String> {
    switch self {
    case .calendar: \.calendar
    case .timeZone: \.timeZone
    case .locale: \.locale
    }
  }

  /// Changes the setting.
  /// - Throws: An error if this program does not know the value.
  package func set(_ value: String, in settings: inout RegionalSettings) throws(RegionError) {
    var alone = RegionalSettings.standard
    alone[keyPath: path] = value
    if value.utf8.count > RegionalSettings.nameLimit {
      throw RegionError(description: "a name has at most \(RegionalSettings.nameLimit) bytes")
    }
    if let problem = alone.problem { throw RegionError(description: problem) }
    settings[keyPath: path] = value
  }
}

/// A calendar, time zone or locale that a hub cannot have.
package struct RegionError: Error, CustomStringConvertible {
  /// The problem, and the remedy.
  package let description: String
}
