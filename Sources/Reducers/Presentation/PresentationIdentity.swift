internal import CasePaths
internal import PromptState

/// Which child is presented: another one when its case or its id is another.
///
/// Changes of other fields do not make another child of it.
struct PresentationIdentity: Hashable, Sendable {
  /// The number of an enum's case; 0 for others.
  fileprivate let tag: Int
  fileprivate let id: AnyID?
}

/// An id of any type. Unchecked: an id is a value that nobody changes.
private struct AnyID: Hashable, @unchecked Sendable {
  private let value: AnyHashable

  init(_ identifiable: some Identifiable) {
    value = AnyHashable(identifiable.id)
  }
}

/// What a composition needs to know of its children's states. It looks at their type once, not at each of their values.
final class PresentedKind<State> {
  private let readID: ((State) -> AnyID)?
  private let tag: EnumTag<State>?
  private let isPrompt = State.self is any _EphemeralState.Type
  /// Whether each case carries a payload of one type, as cases do that features are put on.
  private let hasFixedPayloads = State.self is any CasePathable.Type
  private var payloads: [Payload?] = []

  /// What a case's payload is.
  private struct Payload {
    let isIdentifiable: Bool
    let isPrompt: Bool
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

  /// Whether a state goes away with any action of it, as an alert does: itself, or the payload of its case.
  func isEphemeral(_ state: State) -> Bool {
    guard let tag, !isPrompt else { return isPrompt }
    guard hasFixedPayloads else { return Mirror(reflecting: state).children.first?.value is any _EphemeralState }
    return payload(of: state, tag: tag.of(state)).isPrompt
  }

  private func payload(of state: State, tag: Int) -> Payload {
    if tag < payloads.count, let payload = payloads[tag] { return payload }
    let value = Mirror(reflecting: state).children.first?.value
    let payload = Payload(isIdentifiable: value is any Identifiable, isPrompt: value is any _EphemeralState)
    while payloads.count <= tag { payloads.append(nil) }
    payloads[tag] = payload
    return payload
  }

  private static func readingID<Child: Identifiable>(_: Child.Type) -> (State) -> AnyID {
    // The two are one type, of which the compiler knows different things.
    { state in withUnsafePointer(to: state) { AnyID(UnsafeRawPointer($0).assumingMemoryBound(to: Child.self).pointee) }
    }
  }
}
