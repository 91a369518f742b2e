/// A dependency that can be overridden, with its default value in tests and previews.
///
/// If the implementation of a dependency is in another module than its interface, the interface conforms to this
/// protocol and the implementation adds the conformance to ``DependencyKey``.
public protocol TestDependencyKey<Value>: SendableMetatype {
  /// The type of the dependency.
  associatedtype Value: Sendable = Self

  /// The value in tests.
  static var testValue: Value { get }
  /// The value in previews; by default the test value.
  static var previewValue: Value { get }
}

/// A dependency with a value in production.
///
/// Using a dependency without a `testValue` in a test is reported: by default, tests run no live implementations.
///
/// ```swift
/// extension NumberFactClient: DependencyKey {
///   static let liveValue = NumberFactClient { number in … }
/// }
///
/// extension DependencyValues {
///   var numberFact: NumberFactClient {
///     get { self[NumberFactClient.self] }
///     set { self[NumberFactClient.self] = newValue }
///   }
/// }
/// ```
public protocol DependencyKey<Value>: TestDependencyKey {
  // Declared again, so that `Value` can be inferred from any of the three.

  /// The type of the dependency.
  associatedtype Value = Self

  /// The value in production.
  static var liveValue: Value { get }
  /// The value in tests; by default the preview value, with a report.
  static var testValue: Value { get }
  /// The value in previews; by default the live value.
  static var previewValue: Value { get }
}

extension DependencyKey {
  /// The preview value, with a report that the key has no test value.
  public static var testValue: Value {
    reportNoTestValue(Self.self, value: Value.self)
    return previewValue
  }
  /// The live value.
  public static var previewValue: Value { liveValue }
}

extension TestDependencyKey {
  /// True if a `testValue` should report that it was not overridden: it is being read, and not replaced.
  ///
  /// ```swift
  /// static var testValue: any Database {
  ///   if shouldReportUnimplemented { reportIssue("Override “database” in this test.") }
  ///   return InMemoryDatabase()
  /// }
  /// ```
  public static var shouldReportUnimplemented: Bool {
    if case .reading = DependencyValues.phase { true } else { false }
  }

  /// The test value.
  public static var previewValue: Value { testValue }
}
