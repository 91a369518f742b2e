/// An enum whose cases can be named by key paths.
///
/// ```swift
/// extension AppAction: CasePathable {
///   struct AllCasePaths {
///     var counter: AnyCasePath<AppAction, Counter.Action> {
///       AnyCasePath(embed: { .counter($0) }) { if case .counter(let action) = $0 { action } else { nil } }
///     }
///   }
///   static var allCasePaths: AllCasePaths { AllCasePaths() }
/// }
///
/// Scope(state: \.counter, action: \.counter) { Counter() }
/// ```
public protocol CasePathable {
  /// The case paths, as properties named after the cases.
  associatedtype AllCasePaths

  /// The case paths.
  static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
  /// Whether the value is of the named case.
  public func `is`<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> Bool {
    self[case: keyPath] != nil
  }

  /// The payload of the named case, or nil when the value is of another case.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    AnyCasePath(keyPath).extract(from: self)
  }
}

/// A key path that names a case, or a case within a case: `\.counter`, `\.counter.timerTicked`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>
