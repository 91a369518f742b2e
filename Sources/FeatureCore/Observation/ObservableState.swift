public import Observation

/// A state whose fields are observed individually. `@ObservableState` generates the conformance.
public protocol ObservableState: Observable, SendableMetatype {
  /// The identity. It changes when another state replaces this one.
  var _$id: ObservableStateID { get }

  /// Gives a copied state an identity of its own before it changes.
  mutating func _$willModify()
}

/// The identity of a state. Changes in place keep it; replacing the state changes it.
///
/// It is a number and not a reference: retaining the state would make its next change copy it.
public struct ObservableStateID: Hashable, Sendable {
  private let number: UInt64
  /// The identity that the state had before it was copied and changed; 0 for none.
  private let origin: UInt64
  /// The cases of enums around the state, innermost first.
  private var tags: UInt64 = 0

  init(number: UInt64, origin: UInt64 = 0) {
    (self.number, self.origin) = (number, origin)
  }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number && lhs.tags == rhs.tags }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(tags)
  }

  /// Creates a new identity.
  public init() {
    self.init(number: Extent.nextNumber())
  }

  /// The identity of an enum's case without a payload.
  public static let _$inert = ObservableStateID(number: 0)

  /// The identity of a payload that is not observable. It continues no other identity, so any change of the payload is
  /// a change of the enclosing state.
  public static let _$unobservable = ObservableStateID(number: .max)

  /// Returns true if the payload does not observe its own changes.
  package var isUnobservable: Bool { number == Self._$unobservable.number }

  /// The identity of an enum's case with this payload.
  public func _$tag(_ tag: Int) -> Self {
    var result = self
    result.tags = tags &* 0x1_0001 &+ UInt64(truncatingIfNeeded: tag) &+ 1
    return result
  }

  /// Returns true if a state with this identity is the same state as one with the other identity, of which a copy is
  /// kept: it was derived by changes since `moment`, and the observers were notified of them.
  @usableFromInline
  package func continues(_ other: Self, since moment: UInt64) -> Bool {
    guard !isUnobservable else { return false }
    return self == other || (origin == other.number && number > moment && tags == other.tags)
  }

  /// Returns true if a state with this identity is another one than that with the other identity, and not the same one
  /// changed, or a changed copy. False if a payload of the same case is not observable: then it is not known.
  func replaces(_ other: Self) -> Bool {
    if tags != other.tags { return true }
    return !isUnobservable && !other.isUnobservable && number != other.number && origin != other.number
  }

  /// The identity of a payload. Its type may be observable although it is generic here.
  public static func _$id<T>(for value: T) -> Self { (value as? any ObservableState)?._$id ?? _$unobservable }
  /// The identity of a payload.
  public static func _$id<T: ObservableState>(for value: T) -> Self { value._$id }
}

/// Does nothing for a payload that is not observable; returns false.
public func _$willModify<T>(_ value: inout T) -> Bool { false }
/// Gives a payload an identity of its own before it changes; returns true.
public func _$willModify<T: ObservableState>(_ value: inout T) -> Bool {
  value._$willModify()
  return true
}
