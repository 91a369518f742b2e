/// Which child is presented: another one when its case or its id is another.
///
/// Changes of other fields do not make another child of it.
struct PresentationIdentity: Hashable, Sendable {
  private let caseName: UInt
  private let id: AnyID?

  /// The identity of a child's state.
  ///
  /// - Complexity: Small for structs; an enum's payload is reflected on.
  static func of<State>(_ state: State) -> PresentationIdentity {
    if let state = state as? any Identifiable { return PresentationIdentity(caseName: 0, id: AnyID(state)) }
    guard let name = enumCaseName(state) else { return PresentationIdentity(caseName: 0, id: nil) }
    let payload = Mirror(reflecting: state).children.first?.value as? any Identifiable
    return PresentationIdentity(caseName: UInt(bitPattern: name), id: payload.map { AnyID($0) })
  }
}

/// An id of any type. Unchecked: an id is a value that nobody changes.
private struct AnyID: Hashable, @unchecked Sendable {
  private let value: AnyHashable

  init(_ identifiable: some Identifiable) {
    value = AnyHashable(identifiable.id)
  }
}

/// Whether a value is of an enum type.
func isEnum<Value>(_ value: Value) -> Bool { enumCaseName(value) != nil }

// An entry point of the Swift runtime: the name of an enum's case, nil for what is no enum.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
