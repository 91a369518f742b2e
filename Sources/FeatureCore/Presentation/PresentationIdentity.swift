internal import CasePaths
internal import PromptState

/// The actions of a presented child, or its dismissal, without the type of the former.
private protocol PresentingAction {
  static var presented: Any.Type { get }
}

extension PresentationAction: PresentingAction {
  fileprivate static var presented: Any.Type { Action.self }
}

/// The identity of a presented child: the case of its state and the id of its payload.
///
/// Changes of other fields keep the identity. It is two words, because every action compares those of all children that
/// may be absent.
@usableFromInline
struct PresentationIdentity: Hashable, Sendable {
  /// The number of an enum's case; 0 for others.
  @usableFromInline let tag: Int
  @usableFromInline let id: ChildID?

  @inlinable
  init(tag: Int, id: ChildID?) {
    (self.tag, self.id) = (tag, id)
  }

  @inlinable
  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.tag == rhs.tag && (lhs.id === rhs.id || ChildID.areEqual(lhs.id, rhs.id))
  }
}

/// An id of any type. Unchecked: an id is an immutable value.
@usableFromInline
final class ChildID: Hashable, @unchecked Sendable {
  private let value: AnyHashable

  fileprivate init(of child: some Identifiable) {
    value = AnyHashable(child.id)
  }

  @usableFromInline
  static func areEqual(_ lhs: ChildID?, _ rhs: ChildID?) -> Bool { lhs?.value == rhs?.value }

  @usableFromInline
  static func == (lhs: ChildID, rhs: ChildID) -> Bool { lhs.value == rhs.value }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(value) }

  fileprivate func isID(of child: some Identifiable) -> Bool { value == AnyHashable(child.id) }
}

/// Properties of the type of a composition's child states, computed once and not for each value.
@usableFromInline
final class PresentedKind<State> {
  /// True if all states have one identity: neither they nor their cases have an id.
  @usableFromInline let hasOneIdentity: Bool
  private let readID: ((State, _ last: ChildID?) -> ChildID)?
  @usableFromInline let tag: EnumTag<State>?
  private let promptType = State.self as? any _EphemeralState.Type
  /// True if all payloads of a case have the same type, as in enums with case paths.
  private let hasFixedPayloads = State.self is any CasePathable.Type
  private var payloads: [Payload?] = []
  /// The cases known to have no id, one bit for each of the first 64. Without the exclusivity check: a word is loaded or
  /// stored at once.
  @exclusivity(unchecked) @usableFromInline var casesWithoutID: UInt64 = 0
  /// The id read last, because most actions leave the child in place.
  private var lastID: ChildID?

  /// Properties of a case's payload.
  private struct Payload {
    let isIdentifiable: Bool
    let promptType: (any _EphemeralState.Type)?
  }

  @usableFromInline
  init() {
    readID = (State.self as? any Identifiable.Type).map { Self.readingID($0) }
    tag = EnumTag()
    hasOneIdentity = readID == nil && tag == nil
  }

  /// The identity of a child's state.
  @inlinable
  func identity(of state: State) -> PresentationIdentity {
    if hasOneIdentity { return PresentationIdentity(tag: 0, id: nil) }
    if let tag, casesWithoutID != 0 {
      let number = tag.of(state)
      if number < 64, casesWithoutID & (1 << UInt64(number)) != 0 { return PresentationIdentity(tag: number, id: nil) }
    }
    return readIdentity(of: state)
  }

  @usableFromInline
  func readIdentity(of state: State) -> PresentationIdentity {
    if let readID {
      let id = readID(state, lastID)
      lastID = id
      return PresentationIdentity(tag: 0, id: id)
    }
    guard let tag else { return PresentationIdentity(tag: 0, id: nil) }
    let number = tag.of(state)
    guard !hasFixedPayloads || payload(of: state, tag: number).isIdentifiable else {
      if number < 64, payloads[number] != nil { casesWithoutID |= 1 << UInt64(number) }
      return PresentationIdentity(tag: number, id: nil)
    }
    let payload = Mirror(reflecting: state).children.first?.value as? any Identifiable
    return PresentationIdentity(tag: number, id: payload.map { ChildID(of: $0) })
  }

  /// Returns true if an action dismisses a state, as any action of an alert does.
  ///
  /// The state or its payload is a prompt, and the action or its payload is one of the prompt's.
  @usableFromInline
  func isDismissed<Action>(_ state: State, by action: Action) -> Bool {
    guard let actionType = promptType(of: state)?.actionType else { return false }
    return actionType == Action.self || (Action.self as? any PresentingAction.Type)?.presented == actionType
      || payloadType(of: action) == actionType
  }

  private func promptType(of state: State) -> (any _EphemeralState.Type)? {
    guard let tag, promptType == nil else { return promptType }
    guard hasFixedPayloads else { return Self.promptType(ofPayload: Mirror(reflecting: state).children.first?.value) }
    return payload(of: state, tag: tag.of(state)).promptType
  }

  private static func promptType(ofPayload payload: Any?) -> (any _EphemeralState.Type)? {
    payload.flatMap { type(of: $0) as? any _EphemeralState.Type }
  }

  /// The type of the payload of an enum value. A single labelled value is reflected as a tuple of one.
  private func payloadType(of value: Any) -> Any.Type? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, let payload = mirror.children.first?.value else { return nil }
    let inner = Mirror(reflecting: payload)
    guard inner.displayStyle == .tuple, inner.children.count == 1, let only = inner.children.first?.value else {
      return type(of: payload)
    }
    return type(of: only)
  }

  private func payload(of state: State, tag: Int) -> Payload {
    if tag < payloads.count, let payload = payloads[tag] { return payload }
    let value = Mirror(reflecting: state).children.first?.value
    let payload = Payload(isIdentifiable: value is any Identifiable, promptType: Self.promptType(ofPayload: value))
    while payloads.count <= tag { payloads.append(nil) }
    // A missing payload does not show what a later one has.
    let isMissing = value.map { Mirror(reflecting: $0) }.map { $0.displayStyle == .optional && $0.children.isEmpty }
    if isMissing != true { payloads[tag] = payload }
    return payload
  }

  private static func readingID<Child: Identifiable>(_: Child.Type) -> (State, ChildID?) -> ChildID {
    // Both are the same type, which the compiler cannot know.
    { state, last in
      withUnsafePointer(to: state) {
        let child = UnsafeRawPointer($0).assumingMemoryBound(to: Child.self)
        if let last, last.isID(of: child.pointee) { return last }
        return ChildID(of: child.pointee)
      }
    }
  }
}
