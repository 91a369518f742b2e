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
  /// True if a reducer that reads the dependency has the same result wherever and whenever it runs; by default false.
  ///
  /// A hub's reducer is run again by replays and by clients that predict. A dependency whose live value reads files,
  /// the network or the environment belongs in effects. If a hub's reducer reads one without an override, tests report
  /// an issue, and the hub names it once in its log. Declare a value that is the same everywhere:
  ///
  /// ```swift
  /// extension PriceList: DependencyKey {
  ///   static let liveValue = PriceList(vat: 0.24)
  ///   static let isReproducible = true
  /// }
  /// ```
  ///
  /// The capture list of an effect, `.run { [numberFact] send in … }`, is evaluated by the reducer. So declare a client
  /// that is only passed to effects, too. The library's clocks and schedulers are declared.
  static var isReproducible: Bool { get }
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
  /// False: nothing is known of the value.
  public static var isReproducible: Bool { false }
}
