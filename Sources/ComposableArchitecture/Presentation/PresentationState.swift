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
  fileprivate indirect enum Storage {
    case none
    case some(State)
  }

  private var storage: Storage
  /// The child whose presentation its parent has noticed.
  var presented: PresentationIdentity?

  /// A presentation of a child, or of none.
  public init(wrappedValue: State?) {
    storage = wrappedValue.map(Storage.some) ?? .none
  }

  /// The child's state, while it is presented.
  public var wrappedValue: State? {
    get { if case .some(let state) = storage { state } else { nil } }
    set { storage = newValue.map(Storage.some) ?? .none }
    _modify {
      // Taken out meanwhile, so that a child that nobody else has is changed in place.
      var value = wrappedValue
      storage = .none
      defer { storage = value.map(Storage.some) ?? .none }
      yield &value
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

extension PresentationState: Equatable where State: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool { areEqual(lhs, rhs, by: ==) }
}

extension PresentationState: Hashable where State: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PresentationState: Sendable where State: Sendable {}
extension PresentationState.Storage: Sendable where State: Sendable {}

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
