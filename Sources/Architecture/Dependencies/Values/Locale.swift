public import FoundationEssentials

extension DependencyValues {
  /// The locale for formatting.
  ///
  /// It is the user's current locale, but in a hub's reducer that of the hub's configuration, by default `en_US_POSIX`.
  /// Tests that use it without overriding it get a report.
  public var locale: Locale {
    get { value(inReducerOfHub: \.locale, unlessReplaced: LocaleKey.self) ?? self[LocaleKey.self] }
    set { self[LocaleKey.self] = newValue }
  }
}

extension DependencyValues {
  /// The locales of the languages that the user prefers, the preferred one first: those for the choice of content.
  ///
  /// Tests that use them without overriding them get a report.
  public var preferredLocales: [Locale] {
    get { self[PreferredLocalesKey.self] }
    set { self[PreferredLocalesKey.self] = newValue }
  }
}

private enum PreferredLocalesKey: DependencyKey {
  static var liveValue: [Locale] { Locale.preferredLanguages.map { Locale(identifier: $0) } }
  static var testValue: [Locale] {
    reportUnimplemented("preferredLocales")
    return liveValue
  }
}

private enum LocaleKey: DependencyKey {
  static let liveValue = Locale.autoupdatingCurrent
  static var testValue: Locale {
    reportUnimplemented("locale")
    return .autoupdatingCurrent
  }
}
