internal import CasePaths
internal import PromptState

/// The identity of a presented child: the case of its state and the id of its payload.
///
/// Changes of other fields keep the identity.
struct PresentationIdentity: Hashable, Sendable {
  /// The number of an enum's case; 0 for others.
  fileprivate let tag: Int
  fileprivate let id: AnyID?
}

/// An id of any type. Unchecked: an id is an immutable value.
private struct AnyID: Hashable, @unchecked Sendable {
  private let value: AnyHashable

  init(_ identifiable: some Identifiable) {
    value = AnyHashable(identifiable.id)
  }
}

/// Properties of the type of a composition's child states, computed once and not for each value.
final class PresentedKind<State> {
  private let readID: ((State) -> AnyID)?
  private let tag: EnumTag<State>?
  private let promptType = State.self as? any _EphemeralState.Type
  /// True if all payloads of a case have the same type, as in enums with case paths.
  private let hasFixedPayloads = State.self is any CasePathable.Type
  private var payloads: [Payload?] = []

  /// Properties of a case's payload.
  private struct Payload {
    let isIdentifiable: Bool
    let promptType: (any _EphemeralState.Type)?
  }

  init() {
    readID = (State.self as? any Identifiable.Type).map { Self.readingID($0) }
    tag = EnumTag()
  }

  /// The identity of a child's state.
  func identity(of state: State) -> PresentationIdentity {
    if let readID { return PresentationIdentity(tag: 0, id: readID(state)) }
    guard let tag else { return PresentationIdentity(tag: 0, id: nil) }
    let number = tag.of(state)
    guard !hasFixedPayloads || payload(of: state, tag: number).isIdentifiable else {
      return PresentationIdentity(tag: number, id: nil)
    }
    let payload = Mirror(reflecting: state).children.first?.value as? any Identifiable
    return PresentationIdentity(tag: number, id: payload.map { AnyID($0) })
  }

  /// Returns true if an action dismisses a state, as any action of an alert does.
  ///
  /// The state or its payload is a prompt, and the action or its payload is one of the prompt's.
  func isDismissed<Action>(_ state: State, by action: Action) -> Bool {
    guard let actionType = promptType(of: state)?.actionType else { return false }
    return actionType == Action.self || payloadType(of: action) == actionType
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
    payloads[tag] = payload
    return payload
  }

  private static func readingID<Child: Identifiable>(_: Child.Type) -> (State) -> AnyID {
    // Both are the same type, which the compiler cannot know.
    { state in withUnsafePointer(to: state) { AnyID(UnsafeRawPointer($0).assumingMemoryBound(to: Child.self).pointee) }
    }
  }
}
