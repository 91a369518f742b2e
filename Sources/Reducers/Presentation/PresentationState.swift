public import CasePaths

/// An optional child state that is presented: the child can dismiss itself, and its effects end with it.
///
/// `@Presents` makes it for an `@ObservableState`; in plain states it is a property wrapper:
///
/// ```swift
/// @PresentationState var destination: Destination.State?
/// ```
@propertyWrapper
public struct PresentationState<State> {
  private var storage: PresentationStorage<State>?
  /// The child whose presentation its parent has noticed.
  var presented: PresentationIdentity?

  /// A presentation of a child, or of none.
  public init(wrappedValue: State?) {
    storage = wrappedValue.map(PresentationStorage.init)
  }

  /// The child's state, while it is presented.
  public var wrappedValue: State? {
    get { storage?.state }
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage?.state = newValue
      } else {
        storage = newValue.map(PresentationStorage.init)
      }
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = PresentationStorage(storage?.state) }
      // Moved out and back, so that it is changed in place.
      var state = storage?.state.take()
      defer { storage?.state = state }
      yield &state
    }
  }

  /// The presentation itself.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
    _modify { yield &self }
  }

  /// The child's state if it is in the named case.
  public subscript<Case>(case path: CaseKeyPath<State, Case>) -> Case? where State: CasePathable {
    get { wrappedValue.flatMap { $0[case: path] } }
    set {
      guard let newValue else {
        if wrappedValue.map({ $0[case: path] != nil }) ?? false { wrappedValue = nil }
        return
      }
      wrappedValue = AnyCasePath(path).embed(newValue)
    }
  }

  /// Whether the two present the same state; whether parents have noticed does not count.
  static func areEqual(_ lhs: Self, _ rhs: Self, by equal: (State, State) -> Bool) -> Bool {
    switch (lhs.wrappedValue, rhs.wrappedValue) {
    case (nil, nil): true
    case (let lhs?, let rhs?): equal(lhs, rhs)
    default: false
    }
  }
}

/// A presented state on the heap: a feature that presents others does not grow on the stack with each.
///
/// Unchecked: it is changed only while one value alone refers to it.
private final class PresentationStorage<State>: @unchecked Sendable {
  var state: State?

  init(_ state: State?) {
    self.state = state
  }
}

extension PresentationState: Equatable where State: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool { areEqual(lhs, rhs, by: ==) }
}

extension PresentationState: Hashable where State: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PresentationState: Sendable where State: Sendable {}

extension PresentationState: Decodable where State: Decodable {
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(State?.self))
  }
}

extension PresentationState: Encodable where State: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension PresentationState: CustomReflectable {
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue as Any) }
}

/// An action of a presented child, or its dismissal.
public enum PresentationAction<Action>: CasePathable {
  /// The child goes away.
  case dismiss
  /// Something happened in the child.
  indirect case presented(Action)

  /// The case paths; those of the child's actions are reached without saying `presented`.
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// The dismissal.
    public var dismiss: AnyCasePath<PresentationAction, Void> {
      AnyCasePath(embed: { .dismiss }, extract: { if case .dismiss = $0 { () } else { nil } })
    }

    /// The child's actions.
    public var presented: AnyCasePath<PresentationAction, Action> {
      AnyCasePath(embed: { .presented($0) }, extract: { if case .presented(let action) = $0 { action } else { nil } })
    }

    /// A case of the child's actions.
    public subscript<Member>(
      dynamicMember keyPath: KeyPath<Action.AllCasePaths, AnyCasePath<Action, Member>>
    ) -> AnyCasePath<PresentationAction, Member> where Action: CasePathable {
      presented.appending(path: Action.allCasePaths[keyPath: keyPath])
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Decodable where Action: Decodable {}
extension PresentationAction: Encodable where Action: Encodable {}
