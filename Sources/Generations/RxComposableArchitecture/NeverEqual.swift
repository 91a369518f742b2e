/// A property for events. Each assignment makes it different from before, even if the value is equal.
///
/// ```swift
/// struct State: Equatable { @NeverEqual var toast: String? }
/// store.subscribeNeverEqual(\.$toast).subscribe(onNext: { … })
/// ```
///
/// The original has an eight-bit counter, so 256 assignments compare equal to none. Here it takes 2^64.
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
  /// Returns true if the values are equal and were assigned equally often.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.settings == rhs.settings && lhs.value == rhs.value }
}

extension NeverEqual: Sendable where Value: Sendable {}

/// A value without any content.
public struct Stateless: Equatable, Hashable, Sendable {
  /// Creates the value.
  public init() {}
}
