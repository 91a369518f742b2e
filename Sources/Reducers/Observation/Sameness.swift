internal import IdentifiedCollections

/// Whether one value is the other, perhaps changed in place since: then those who read a field of it are told by that
/// field.
enum Sameness {
  /// What is remembered of a value to compare it with what comes after.
  enum Mark {
    case identity(ObservableStateID?, moment: UInt64)
    /// The elements of a collection, hashed: keeping them would make each change one of a copy.
    case elements(Int, moment: UInt64)
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
      case (nil, .identity(nil, _)): return true
      case (let before?, .identity(let after?, _)): return after.continues(before, since: moment)
      default: return false
      }
    case .elements(let before, let moment):
      guard case .elements(before, _) = self.mark(value, since: moment) else { return false }
      return true
    case .collectionOfChanging: return true
    case .unknown: return false
    }
  }

  fileprivate static func mark<T>(_ value: T, since moment: UInt64) -> Mark {
    if let state = value as? any ObservableState { return .identity(state._$id, moment: moment) }
    if let marked = value as? any IdentityMarked { return marked._$mark(since: moment) }
    return .unknown
  }

  /// The mark of a collection, which is the same as long as it holds the same elements in the same order.
  ///
  /// - Complexity: O(n); it is asked for only if somebody observes the collection.
  fileprivate static func mark<Elements: Sequence, ID: Hashable>(
    _ elements: Elements, ids: some Sequence<ID>, since moment: UInt64
  ) -> Mark {
    guard let identify = StateIdentity<Elements.Element>.reading else { return .unknown }
    var hasher = Hasher()
    for id in ids { hasher.combine(id) }
    for element in elements { hasher.combine(identify(element).asOf(moment)) }
    return .elements(hasher.finalize(), moment: moment)
  }
}

/// A container of states that is the same as long as it holds the same ones.
protocol IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark
}

extension Optional: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    guard let self else { return Wrapped.self is any ObservableState.Type ? .identity(nil, moment: moment) : .unknown }
    return Sameness.mark(self, since: moment)
  }
}

extension IdentifiedArray: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark {
    // `forEach` says so when it has changed one element and left the others alone.
    if Reducing.returning?.isElementOnly == true { return .collectionOfChanging }
    return Sameness.mark(self, ids: ids, since: moment)
  }
}

extension StackState: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(self, ids: ids, since: moment) }
}

extension PresentationState: IdentityMarked {
  func _$mark(since moment: UInt64) -> Sameness.Mark { Sameness.mark(wrappedValue, since: moment) }
}
