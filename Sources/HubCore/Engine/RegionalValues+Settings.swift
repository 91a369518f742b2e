package import Dependencies
package import Wire

extension RegionalValues {
  /// Finds the values of settings.
  /// - Throws: An error that names the first one that this program does not know.
  package convenience init(_ settings: RegionalSettings) throws(UnknownRegion) {
    try self.init(calendar: settings.calendar, timeZone: settings.timeZone, locale: settings.locale)
  }
}

extension RegionalSettings {
  /// The first value that this program does not know, and the remedy; nil if it knows all.
  package var problem: String? {
    do throws(UnknownRegion) {
      _ = try RegionalValues(self)
      return nil
    } catch { return error.description }
  }
}
