public import Observation

/// A state whose fields are observed one by one. `@ObservableState` writes the conformance.
public protocol ObservableState: Observable {
  /// Tells this state from another one that took its place.
  var _$id: ObservableStateID { get }

  /// Gives a copied state an identity of its own before it changes.
  mutating func _$willModify()
}

/// The identity of a state: the same while it is changed in place, another when it is replaced.
///
/// It is a number, and not a reference, because holding on to the state would make its next change one of a copy.
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

  /// An identity of its own.
  public init() {
    self.init(number: Extent.nextNumber())
  }

  /// The identity of what has none: values that are equal by what they are.
  public static let _$inert = ObservableStateID(number: 0)

  /// The identity of an enum's case with this payload.
  public func _$tag(_ tag: Int) -> Self {
    var result = self
    result.tags = tags &* 0x1_0001 &+ UInt64(truncatingIfNeeded: tag) &+ 1
    return result
  }

  /// Whether a state of this identity was made from one of another by changes since a moment, all of which its observers
  /// know of: it is the same state, of which somebody has kept a copy.
  @usableFromInline
  package func continues(_ other: Self, since moment: UInt64) -> Bool {
    self == other || (origin == other.number && number > moment && tags == other.tags)
  }

  /// The identity of a payload.
  public static func _$id<T>(for value: T) -> Self { _$inert }
  /// The identity of a payload.
  public static func _$id<T: ObservableState>(for value: T) -> Self { value._$id }
}

/// Gives a payload an identity of its own before it changes; says whether there was anything to do.
public func _$willModify<T>(_ value: inout T) -> Bool { false }
/// Gives a payload an identity of its own before it changes; says whether there was anything to do.
public func _$willModify<T: ObservableState>(_ value: inout T) -> Bool {
  value._$willModify()
  return true
}
