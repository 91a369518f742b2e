public import FoundationEssentials

extension DependencyValues {
  /// The locale in which features write.
  ///
  /// The user's own, as it is when it is asked; a test that does not override it is told so.
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
