public import ComposableCore
public import Wire

extension IdentifiedAction: WireValue where ID: WireValue, Action: WireValue {
  /// Writes case 0 with an id and an action.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .element(let id, let action):
      encoder.enumCase(0, payloadCount: 2)
      id.encode(to: &encoder)
      action.encode(to: &encoder)
    }
  }

  /// Reads an action of an element.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 2): self = .element(id: try decoder.value(), action: try decoder.value())
    case (let key, _): throw WireError(.unknownCase(key, type: "IdentifiedAction"), at: start)
    }
  }

  /// An enum with a single case.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.enumeration(Self.self, name: "IdentifiedAction") { cases in
      cases.enumCase("element", key: 0, labels: ["id", "action"], Self.element(id:action:))
    }
  }
}

extension IdentifiedAction: Replicated where ID: Replicated, Action: Replicated {
  /// Returns true if the actions have different bytes.
  public func differs(from base: Self) -> Bool {
    switch (self, base) {
    case (.element(let id, let action), .element(let baseID, let base)):
      id.differs(from: baseID) || action.differs(from: base)
    }
  }
}
