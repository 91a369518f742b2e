internal import IdentifiedCollections
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
  private var number: UInt64
  /// The cases of enums around the state, innermost first.
  private var tags: UInt64 = 0
  /// The number of the state that this one was a copy of until it changed; 0 for a state that was made.
  private var origin: UInt64

  init(number: UInt64, origin: UInt64 = 0) {
    self.number = number
    self.origin = origin
  }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number && lhs.tags == rhs.tags }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(tags)
  }

  /// The identity that the state had when `number` was the last one given.
  ///
  /// A state that is changed while somebody holds a copy of it gets another identity by that, but is no other state for
  /// those who observe it.
  func asOf(_ lastNumber: UInt64) -> Self {
    guard number > lastNumber else { return self }
    var result = self
    result.number = origin
    return result
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

/// Whether one value is the other, perhaps changed in place since: then those who read a field of it are told by that
/// field.
enum Sameness {
  /// What is remembered of a value to compare it with what comes after.
  enum Mark {
    case identity(ObservableStateID?)
    /// Of several states in a row.
    case identities(Int)
    case unknown
  }

  /// A mark, and when it was made.
  struct Moment {
    let mark: Mark
    let lastNumber: UInt64
  }

  /// What a value is now, to be compared with what comes after.
  static func now<T>(_ value: T) -> Moment {
    let lastNumber = Reducing.lastNumber
    return Moment(mark: mark(value, asOf: lastNumber), lastNumber: lastNumber)
  }

  static func mark<T>(_ value: T, asOf lastNumber: UInt64) -> Mark {
    if let state = value as? any ObservableState { return .identity(state._$id.asOf(lastNumber)) }
    if let marked = value as? any IdentityMarked { return marked._$mark(asOf: lastNumber) }
    return .unknown
  }

  /// Of the elements of a container, which is the same as long as it holds the same ones in the same order.
  ///
  /// - Complexity: O(n); it is asked for only if somebody observes the container.
  static func mark<Elements: Sequence, ID: Hashable>(
    _ elements: Elements, ids: some Sequence<ID>, asOf lastNumber: UInt64
  ) -> Mark {
    guard let type = Elements.Element.self as? any ObservableState.Type else { return .unknown }
    var hasher = Hasher()
    for id in ids { hasher.combine(id) }
    func combine<T: ObservableState>(_: T.Type) {
      for element in elements { hasher.combine((element as? T)?._$id.asOf(lastNumber)) }
    }
    combine(type)
    return .identities(hasher.finalize())
  }

  static func isSame<T>(_ moment: Moment, _ value: T) -> Bool {
    switch (moment.mark, mark(value, asOf: moment.lastNumber)) {
    case (.identity(let lhs), .identity(let rhs)): lhs == rhs
    case (.identities(let lhs), .identities(let rhs)): lhs == rhs
    default: false
    }
  }
}

/// A container of states that is the same as long as it holds the same ones.
protocol IdentityMarked {
  func _$mark(asOf lastNumber: UInt64) -> Sameness.Mark
}

extension Optional: IdentityMarked {
  func _$mark(asOf lastNumber: UInt64) -> Sameness.Mark {
    guard let self else { return Wrapped.self is any ObservableState.Type ? .identity(nil) : .unknown }
    return Sameness.mark(self, asOf: lastNumber)
  }
}

extension IdentifiedArray: IdentityMarked {
  func _$mark(asOf lastNumber: UInt64) -> Sameness.Mark { Sameness.mark(self, ids: ids, asOf: lastNumber) }
}

extension StackState: IdentityMarked {
  func _$mark(asOf lastNumber: UInt64) -> Sameness.Mark { Sameness.mark(self, ids: ids, asOf: lastNumber) }
}

extension PresentationState: IdentityMarked {
  func _$mark(asOf lastNumber: UInt64) -> Sameness.Mark { Sameness.mark(wrappedValue, asOf: lastNumber) }
}
