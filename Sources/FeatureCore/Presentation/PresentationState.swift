public import CasePaths
internal import IssueReporting

/// The optional state of a presented child. The child can dismiss itself; its effects are cancelled when it is
/// dismissed or replaced.
///
/// `@Presents` declares it in an `@ObservableState`. In other states it is a property wrapper:
///
/// ```swift
/// @PresentationState var destination: Destination.State?
/// ```
@propertyWrapper
public struct PresentationState<State> {
  @usableFromInline var storage: PresentationStorage<State>?
  /// The presented child that the parent has seen.
  @usableFromInline var presented: PresentationIdentity?

  /// Creates a presentation of a child, or of none.
  public init(wrappedValue: State?) {
    storage = wrappedValue.map { PresentationStorage($0, from: EffectPlaces.current?.pointee.origin) }
  }

  /// The child's state, while it is presented.
  public var wrappedValue: State? {
    get { storage?.state }
    set {
      var (origin, isRepetition) = (storage?.origin, false)
      if let now = EffectPlaces.current?.pointee.origin {
        isRepetition = repeats(newValue)
        let (before, hadState) = (PresentationOrigin.identity(of: storage?.state), storage?.state != nil)
        if !isRepetition, PresentationOrigin.isReplaced(newValue, from: before, hadState: hadState) { origin = now }
      }
      if !isKnownUniquelyReferenced(&storage) {
        storage = newValue.map { PresentationStorage($0, from: origin) }
      } else {
        storage?.state = newValue
        storage?.origin = origin
      }
      storage?.isRepetition = isRepetition
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = PresentationStorage(storage?.state, from: storage?.origin) }
      let now = EffectPlaces.current?.pointee.origin
      let before = now == nil ? nil : PresentationOrigin.identity(of: storage?.state)
      // Moved out and back, so that it changes in place.
      var state = storage?.state.take()
      let hadState = state != nil
      defer {
        if let now {
          if PresentationOrigin.isReplaced(state, from: before, hadState: hadState) { storage?.origin = now }
          storage?.isRepetition = false
        }
        storage?.state = state
      }
      yield &state
    }
  }

  /// True if the sender of the action that is reduced could not know the presented child.
  @usableFromInline var isUnseen: Bool { PresentationOrigin.isUnseen(storage?.origin) }

  /// Returns true if a state is equal to the presented one: a hub then sends nothing, so its clients cannot tell that it
  /// is another one, as when an alert is shown again.
  private func repeats(_ newValue: State?) -> Bool {
    guard let newValue, let state = storage?.state else { return false }
    return StateIdentity.areEqual(state, newValue)
  }

  /// Notes in a hub that another child was presented just now, unless it repeats the one before.
  mutating func noteOrigin() {
    guard let now = EffectPlaces.current?.pointee.origin else { return }
    let origin = storage?.isRepetition == true ? storage?.origin : now
    if isKnownUniquelyReferenced(&storage) {
      storage?.origin = origin
      storage?.isRepetition = false
    } else {
      storage = PresentationStorage(storage?.state, from: origin)
    }
  }

  /// The presentation itself.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
    _modify { yield &self }
  }

  /// The payload of the child's state if it is in the named case.
  ///
  /// Writing through a case that the child is not in changes nothing and is reported as an issue.
  public subscript<Case>(
    case path: CaseKeyPath<State, Case>, fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath, line line: UInt = #line, column column: UInt = #column
  ) -> Case? where State: CasePathable {
    get { wrappedValue.flatMap { $0[case: path] } }
    set {
      set(
        AnyCasePath(path), to: newValue, fileID: fileID.rawValue, filePath: filePath.rawValue, line: line,
        column: column)
    }
  }

  /// The payload of the child's state if it is in a case, in the 1.0 form: `$destination[case:
  /// /Destination.State.edit]`.
  public subscript<Case>(
    case path: AnyCasePath<State, Case>, fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath, line line: UInt = #line, column column: UInt = #column
  ) -> Case? {
    get { wrappedValue.flatMap { path.extract(from: $0) } }
    set { set(path, to: newValue, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  private mutating func set<Case>(
    _ path: AnyCasePath<State, Case>, to newValue: Case?, fileID: StaticString, filePath: StaticString, line: UInt,
    column: UInt
  ) {
    let state = wrappedValue
    guard let state, path.extract(from: state) != nil else {
      return reportIssue(
        "Can't modify unrelated case\(DebugLabels.quotedCase(of: state))", fileID: fileID, filePath: filePath,
        line: line, column: column)
    }
    wrappedValue = newValue.map(path.embed)
  }

  /// The identity of the child; nil if there is none.
  @inlinable
  func identity(by kind: PresentedKind<State>) -> PresentationIdentity? {
    guard let storage else { return nil }
    return storage.state.map(kind.identity)
  }

  /// Returns true if both present equal states, regardless of what their parents have seen.
  ///
  /// - Complexity: O(1) for unchanged copies of one value.
  static func areEqual(_ lhs: Self, _ rhs: Self, by equal: (State, State) -> Bool) -> Bool {
    if lhs.storage === rhs.storage { return true }
    return switch (lhs.wrappedValue, rhs.wrappedValue) {
    case (nil, nil): true
    case (let lhs?, let rhs?): equal(lhs, rhs)
    default: false
    }
  }
}

/// A presented state on the heap, so that presented children do not enlarge a feature's state on the stack.
///
/// Unchecked: it is changed only while uniquely referenced. So is the state's exclusivity, at run time: the presenting
/// state is accessed exclusively meanwhile.
@usableFromInline
final class PresentationStorage<State>: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var state: State?
  /// Who has presented it; nil outside of hubs, and for what a hub has read from its journal.
  @exclusivity(unchecked) var origin: PresentationOrigin?
  /// True if an equal state was presented before, until `ifLet` has noticed this one.
  var isRepetition = false

  init(_ state: State?, from origin: PresentationOrigin?) {
    (self.state, self.origin) = (state, origin)
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
  /// Dismisses the child.
  case dismiss
  /// An action of the child.
  indirect case presented(Action)

  /// The case paths. Cases of the child's actions can be named without `presented`.
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
