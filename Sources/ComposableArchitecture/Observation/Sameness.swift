internal import IdentifiedCollections

/// Whether one value is the other, perhaps changed in place since: then those who read a field of it are told by that
/// field.
enum Sameness {
  /// What is remembered of a value to compare it with what comes after.
  enum Mark {
    case identity(ObservableStateID?, moment: UInt64)
    /// A collection of which one element was changed and nothing else.
    case collectionOfChanging
    case unknown
  }

  static func mark<T>(_ value: T) -> Mark {
    if let state = value as? any ObservableState {
      return .identity(state._$id, moment: Reducing.returning?.moment ?? Extent.nextNumber())
    }
    if let marked = value as? any IdentityMarked { return marked._$mark }
    return .unknown
  }

  static func isSame<T>(_ mark: Mark, _ value: T) -> Bool {
    switch mark {
    case .identity(let before, let moment):
      switch (before, self.mark(value)) {
      case (nil, .identity(nil, _)): true
      case (let before?, .identity(let after?, _)): after.continues(before, since: moment)
      default: false
      }
    case .collectionOfChanging: true
    case .unknown: false
    }
  }
}

/// A container of states that is the same as long as it holds the same ones.
protocol IdentityMarked {
  var _$mark: Sameness.Mark { get }
}

extension Optional: IdentityMarked {
  var _$mark: Sameness.Mark {
    guard let self else { return Wrapped.self is any ObservableState.Type ? .identity(nil, moment: 0) : .unknown }
    return Sameness.mark(self)
  }
}

extension IdentifiedArray: IdentityMarked {
  // To find out later whether the elements are the same ones, the old ones would have to be kept, and then each change
  // would be one of a copy. So only changes by `forEach` are known to leave the others alone.
  var _$mark: Sameness.Mark {
    Reducing.returning?.isElementOnly == true ? .collectionOfChanging : .unknown
  }
}
