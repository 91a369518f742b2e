internal import IdentifiedCollections

/// Whether one value is the other, perhaps changed in place since: then those who read a field of it are told by that
/// field.
enum Sameness {
  /// What is remembered of a value to compare it with what comes after.
  enum Mark {
    case identity(ObservableStateID?, moment: UInt64)
    /// The version of a collection that was there.
    case collection(any KeptCollection, moment: UInt64)
    /// A collection of which one element was changed and nothing else.
    case collectionOfChanging
    case unknown
  }

  /// What a value is now, to be compared with what comes after.
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
    case .collectionOfChanging: true
    case .unknown: false
    }
  }

  fileprivate static func mark<T>(_ value: T, since moment: UInt64) -> Mark {
    if let state = value as? any ObservableState { return .identity(state._$id, moment: moment) }
    if let marked = value as? any IdentityMarked { return marked._$mark(since: moment) }
    return .unknown
  }
}

/// A container of states that is the same as long as it holds the same ones.
protocol IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark
}

/// A version of a collection of states.
///
/// It is kept while the collection changes, so that the change copies the way to it in the tree. What comes after shares
/// all other nodes, and these need not be looked at: a change of a long list costs what it costs in a short one.
protocol KeptCollection {
  /// Returns true if another value holds the same states in the same order, each perhaps changed in place.
  ///
  /// - Complexity: O(log n) after one change of n elements.
  func isKept(in other: Any, since moment: UInt64) -> Bool
}

extension Optional: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    guard let self else { return Wrapped.self is any ObservableState.Type ? .identity(nil, moment: moment) : .unknown }
    return Sameness.mark(self, since: moment)
  }
}

extension IdentifiedArray: IdentityMarked, KeptCollection {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    // `forEach` says so when it has changed one element and left the others alone.
    if Reducing.returning?.isElementOnly == true { return .collectionOfChanging }
    return Element.self is any ObservableState.Type ? .collection(self, moment: moment) : .unknown
  }

  func isKept(in other: Any, since moment: UInt64) -> Bool {
    guard let other = other as? Self, let identify = StateIdentity<Element>.reading else { return false }
    return other.holdsTheSame(as: self) { identify($1).continues(identify($0), since: moment) }
  }
}

extension StackState: IdentityMarked, KeptCollection {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    Element.self is any ObservableState.Type ? .collection(self, moment: moment) : .unknown
  }

  func isKept(in other: Any, since moment: UInt64) -> Bool {
    guard let other = other as? Self, let identify = StateIdentity<Element>.reading else { return false }
    return other.entries.holdsTheSame(as: entries) {
      identify($1.element).continues(identify($0.element), since: moment)
    }
  }
}

extension PresentationState: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(wrappedValue, since: moment) }
}
