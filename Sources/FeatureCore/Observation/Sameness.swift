internal import IdentifiedCollections

/// Compares a field's values before and after a change. A value that is the same, or was changed in place, needs no
/// notification: its own fields notify their observers.
enum Sameness {
  /// The part of a value before a change that the comparison needs.
  enum Mark {
    case identity(ObservableStateID?, moment: UInt64)
    /// The version of a collection before the change.
    case collection(any KeptCollection, moment: UInt64)
    /// The identities of a collection's elements before the change.
    case identities([ObservableStateID], moment: UInt64)
    /// A collection in which one element was changed and nothing else.
    case collectionOfChanging
    /// A copy of a value without an identity.
    case copy(Any)
    case unknown
  }

  /// The mark of a value.
  static func mark<T>(_ value: T) -> Mark {
    mark(value, since: Reducing.returning?.moment ?? Extent.nextNumber())
  }

  static func isSame<T>(_ mark: Mark, _ value: T) -> Bool {
    switch mark {
    case .identity(let before, let moment):
      switch (before, self.mark(value, since: moment)) {
      case (nil, .identity(nil, _)): true
      case (let before?, .identity(let after?, _)): after.continues(before, since: moment)
      default: false
      }
    case .collection(let before, let moment): before.isKept(in: value, since: moment)
    case .identities(let before, let moment):
      switch self.mark(value, since: moment) {
      case .identities(let after, _):
        before.count == after.count && zip(before, after).allSatisfy { $1.continues($0, since: moment) }
      default: false
      }
    case .collectionOfChanging: true
    case .copy(let before): (before as? T).map { areEqual($0, value) } ?? false
    case .unknown: false
    }
  }

  /// Returns true if two values are of an equatable type and equal.
  static func areEqual<T>(_ lhs: T, _ rhs: T) -> Bool {
    let type = ComparedTypes.of(T.self)
    if let areEqual = type.areEqual { return areEqual(lhs, rhs) }
    return type.isUnknown && areContentsEqual(lhs, rhs)
  }

  private static func areContentsEqual(_ lhs: Any, _ rhs: Any) -> Bool {
    func open<Value: Equatable>(_ lhs: Value) -> Bool {
      // The type is checked first: the cast of a missing value to an optional type would succeed.
      type(of: rhs) == Value.self && (rhs as? Value).map { lhs == $0 } ?? false
    }
    return (lhs as? any Equatable).map { open($0) } ?? false
  }

  /// A copy of a value that is kept while the value changes in place; nil if the type is not comparable.
  ///
  /// Collections are not kept, because the change would copy them entirely.
  static func copy<T>(of value: T) -> Any? {
    let type = ComparedTypes.of(T.self)
    guard type.isUnknown else { return type.areEqual != nil && type.mayBeKept ? value : nil }
    return value is any Equatable && (value is String || !(value is any Collection)) ? value : nil
  }

  fileprivate static func mark<T>(_ value: T, since moment: UInt64) -> Mark {
    let type = ComparedTypes.of(T.self)
    if let identify = type.identify { return mark(identify(value), since: moment) }
    if let mark = type.mark { return mark(value, moment) }
    guard type.isUnknown else { return .unknown }
    if let state = value as? any ObservableState { return mark(state._$id, since: moment) }
    return (value as? any IdentityMarked)?._$mark(since: moment) ?? .unknown
  }

  private static func mark(_ id: ObservableStateID, since moment: UInt64) -> Mark {
    id.isUnobservable ? .unknown : .identity(id, moment: moment)
  }

  /// Returns true if values of a type have identities.
  fileprivate static func isObservable<T>(_ type: T.Type) -> Bool { ComparedTypes.of(type).identify != nil }
}

/// A container of states that is unchanged as long as it holds the same states.
protocol IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark
}

/// A version of a collection of states.
///
/// It is kept while the collection changes, so a change copies one path of the tree. The new version shares all other
/// nodes, which need no comparison. A change therefore costs the same in long and short lists.
protocol KeptCollection {
  /// Returns true if another value has the same states in the same order, each perhaps changed in place.
  ///
  /// - Complexity: O(log n) after one change of n elements.
  func isKept(in other: Any, since moment: UInt64) -> Bool
}

extension Optional: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    guard let self else { return Sameness.isObservable(Wrapped.self) ? .identity(nil, moment: moment) : .unknown }
    return Sameness.mark(self, since: moment)
  }
}

extension IdentifiedArray: IdentityMarked, KeptCollection {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    // Set by `forEach` when it has changed one element and no other.
    if Reducing.takeReturned(Self.self) { return .collectionOfChanging }
    return Sameness.isObservable(Element.self) ? .collection(self, moment: moment) : .unknown
  }

  func isKept(in other: Any, since moment: UInt64) -> Bool {
    guard let other = other as? Self, let identify = StateIdentity<Element>.reading else { return false }
    return other.holdsTheSame(as: self) { Sameness.isSame($0, $1, identify, since: moment) }
  }
}

extension StackState: IdentityMarked, KeptCollection {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    if Reducing.takeReturned(Self.self) { return .collectionOfChanging }
    return Sameness.isObservable(Element.self) ? .collection(self, moment: moment) : .unknown
  }

  func isKept(in other: Any, since moment: UInt64) -> Bool {
    guard let other = other as? Self, let identify = StateIdentity<Element>.reading else { return false }
    return other.entries.holdsTheSame(as: entries) {
      Sameness.isSame($0.element, $1.element, identify, since: moment)
    }
  }
}

extension Sameness {
  /// Returns true if an element is the same state as before, possibly changed in place, or equal if its payload is not
  /// observable.
  fileprivate static func isSame<Element>(
    _ before: Element, _ after: Element, _ identify: (borrowing Element) -> ObservableStateID, since moment: UInt64
  ) -> Bool {
    let id = identify(after)
    return id.isUnobservable ? areEqual(before, after) : id.continues(identify(before), since: moment)
  }

  fileprivate static func mark<Element>(elementsOf elements: some Collection<Element>, since moment: UInt64) -> Mark {
    guard let identify = StateIdentity<Element>.reading else { return .unknown }
    return .identities(elements.map { identify($0) }, moment: moment)
  }
}

extension Array: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(elementsOf: self, since: moment) }
}

extension ArraySlice: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(elementsOf: self, since: moment) }
}

extension ContiguousArray: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(elementsOf: self, since: moment) }
}

extension PresentationState: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(wrappedValue, since: moment) }
}
