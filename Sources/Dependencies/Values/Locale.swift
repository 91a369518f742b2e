public import FoundationEssentials

extension DependencyValues {
  /// The locale for formatting.
  ///
  /// It is the user's current locale. Tests that use it without overriding it get a report.
  public var locale: Locale {
    get { self[LocaleKey.self] }
    set { self[LocaleKey.self] = newValue }
  }
}

private enum LocaleKey: DependencyKey {
  static let liveValue = Locale.autoupdatingCurrent
  static var testValue: Locale {
    reportUnimplemented("locale")
    return .autoupdatingCurrent
  }
}
