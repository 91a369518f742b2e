/// A dependency that can be overridden, with the value that tests and previews get unless they override it.
///
/// The interface of a dependency conforms to this protocol where its implementation is in another module, which then
/// conforms it to ``DependencyKey``.
public protocol TestDependencyKey<Value> {
  /// The type of the dependency.
  associatedtype Value: Sendable = Self

  /// The value in tests.
  static var testValue: Value { get }
  /// The value in previews; by default the test value.
  static var previewValue: Value { get }
}

/// A dependency that has a value in production.
///
/// A test that uses a dependency without a `testValue` gets a report: by default no live implementation runs in tests.
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
  /// The preview value, and a report that the key has no test value of its own.
  public static var testValue: Value {
    reportNoTestValue(Self.self, value: Value.self)
    return previewValue
  }
  /// The live value.
  public static var previewValue: Value { liveValue }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }
}
