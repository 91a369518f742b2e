/// A property that is an event: it differs each time it is set, also when it is set to an equal value.
///
/// ```swift
/// struct State: Equatable { @NeverEqual var toast: String? }
/// store.subscribeNeverEqual(\.$toast).subscribe(onNext: { … })
/// ```
///
/// The original counts in eight bits, so that 256 settings compare equal to none. Here it takes 2^64.
@propertyWrapper
public struct NeverEqual<Value> {
  private var value: Value
  private var settings: UInt64 = 0

  /// Creates the property.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// The value.
  public var wrappedValue: Value {
    get { value }
    set {
      value = newValue
      settings &+= 1
    }
  }

  /// The property with its history.
  public var projectedValue: NeverEqual {
    get { self }
    set { self = newValue }
  }
}

extension NeverEqual: Equatable where Value: Equatable {
  /// Returns true if the values are equal and were set equally often.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.settings == rhs.settings && lhs.value == rhs.value }
}

extension NeverEqual: Sendable where Value: Sendable {}

/// A value that says nothing but that it is there.
public struct Stateless: Equatable, Hashable, Sendable {
  /// Creates the value.
  public init() {}
}
