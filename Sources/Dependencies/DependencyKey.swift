/// A dependency that can be overridden, with the value that tests and previews get unless they override it.
public protocol TestDependencyKey<Value> {
  /// What the key stands for.
  associatedtype Value: Sendable = Self

  /// The value while tests run.
  static var testValue: Value { get }
  /// The value in previews; the test value unless said otherwise.
  static var previewValue: Value { get }
}

/// A dependency that has a value in production.
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
  /// The value in production.
  static var liveValue: Value { get }
}

extension DependencyKey {
  /// The live value. Give a key a test value of its own when its live value reaches outside the process.
  public static var testValue: Value { liveValue }
  /// The live value.
  public static var previewValue: Value { liveValue }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }
}
