public import ComposableCore
public import Wire

extension PresentationState: WireValue where State: WireValue {
  /// Writes the presented state as an optional.
  public func encode(to encoder: inout CBOREncoder) {
    wrappedValue.encode(to: &encoder)
  }

  /// Reads an optional state.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    self.init(wrappedValue: try State?(from: &decoder))
  }

  /// A presented state and its type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("PresentationState", [State.schema(in: &builder)])
  }
}

extension PresentationState: Replicated where State: Replicated {
  /// True if the state has parts that can change individually.
  public static var hasParts: Bool { State?.hasParts }

  /// Returns true if the presented states differ.
  public func differs(from base: Self) -> Bool { wrappedValue.differs(from: base.wrappedValue) }

  /// Writes the change of an optional.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    wrappedValue.encodeDelta(from: base.wrappedValue, to: &encoder)
  }

  /// Replaces the presented state, or changes it.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    try wrappedValue.apply(delta: &decoder)
  }

  /// The presented state, for the step 0.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    path.isEmpty ? self : wrappedValue.part(at: path)
  }
}

extension PresentationAction: WireValue where Action: WireValue {
  /// Writes case 0 for the dismissal, or case 1 with the child's action.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .dismiss: encoder.enumCase(0)
    case .presented(let action):
      encoder.enumCase(1, payloadCount: 1)
      action.encode(to: &encoder)
    }
  }

  /// Reads a dismissal or a child's action.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 0): self = .dismiss
    case (1, 1): self = .presented(try Action(from: &decoder))
    case (let key, _): throw WireError(.unknownCase(key, type: "PresentationAction"), at: start)
    }
  }

  /// An enum with two cases.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.enumeration(Self.self, name: "PresentationAction") { cases in
      cases.enumCase("dismiss", key: 0)
      cases.enumCase("presented", key: 1, labels: [""], Self.presented(_:))
    }
  }
}

extension PresentationAction: Replicated where Action: Replicated {
  /// Returns true if the actions have different bytes.
  public func differs(from base: Self) -> Bool {
    switch (self, base) {
    case (.dismiss, .dismiss): false
    case (.presented(let action), .presented(let base)): action.differs(from: base)
    default: true
    }
  }
}
