public import ComposableCore
public import Wire

extension StackElementID: WireValue {
  /// `StackElementID`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("StackElementID") }

  /// Writes the number of the pushed element.
  public func encode(to encoder: inout CBOREncoder) {
    generation.encode(to: &encoder)
  }

  /// Reads the number of a pushed element.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init(generation: try Int(from: &decoder))
  }
}

extension StackElementID: Replicated {}

extension StackState.Entry: WireValue where Element: WireValue {
  /// Writes `[id, element]`.
  @usableFromInline package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    id.encode(to: &encoder)
    element.encode(to: &encoder)
  }

  /// Reads `[id, element]`.
  @usableFromInline package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    let id = try StackElementID(from: &decoder)
    self.init(id: id, element: try Element(from: &decoder))
  }
}

extension StackState.Entry: Replicated where Element: Replicated {
  @usableFromInline package static var hasParts: Bool { Element.hasParts }

  @usableFromInline package func differs(from base: Self) -> Bool {
    id != base.id || element.differs(from: base.element)
  }

  /// Writes the change of the element; the id does not change.
  @usableFromInline package func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    element.encodeDelta(from: base.element, to: &encoder)
  }

  @usableFromInline package mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    try element.apply(delta: &decoder)
  }
}

extension StackState: WireValue where Element: WireValue {
  /// Writes an array of `[id, element]`, from the bottom to the top.
  public func encode(to encoder: inout CBOREncoder) {
    entries.encode(to: &encoder)
  }

  /// Reads a stack with distinct ids.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    entries = try decoder.value()
    unnoticed.areAll = true
  }

  /// A stack and its elements' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("StackState", [Element.schema(in: &builder)])
  }
}

extension StackState: Replicated where Element: Replicated {
  /// True: elements can change individually.
  public static var hasParts: Bool { true }

  /// Returns true if an element or its position differs.
  public func differs(from base: Self) -> Bool { entries.differs(from: base.entries) }

  /// Writes the change of an identified array whose elements are `[id, element]`; an element changes by its own delta.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    entries.encodeDelta(from: base.entries, to: &encoder)
  }

  /// Replaces the stack, or removes, moves, pushes and changes elements; the remaining ones keep their ids.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    try entries.apply(delta: &decoder)
    unnoticed.areAll = true
  }

  /// The element for a step that is an id, or a window.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    guard let step = path.first else { return self }
    if case .window = step { return window(at: path) }
    guard case .id(let bytes) = step, let id = try? StackElementID(decoding: bytes.span.bytes) else { return nil }
    return self[id: id]?.part(at: path.dropFirst())
  }
}

extension StackState: WindowedCollection where Element: Replicated {
  /// The elements at a range of positions, with their ids. - Complexity: O(k log n) for k elements.
  public func windowed(_ range: Range<Int>) -> Self {
    var result = Self()
    result.entries = IdentifiedArray(entries[range])
    return result
  }

  /// Returns true if elements or their ids differ. - Complexity: As for an identified array.
  public func differs(from base: Self, in range: Range<Int>) -> Bool {
    entries.differs(from: base.entries, in: range)
  }
}

extension StatePath {
  /// The path of a stack's element with an id.
  public subscript<Element: Replicated>(
    id id: StackElementID
  ) -> StatePath<Root, Element> where Part == StackState<Element> {
    appending(.id(id.encoded()))
  }
}

extension StackAction: WireValue where State: WireValue, Action: WireValue {
  /// Writes case 0 with an id and an action, case 1 with an id, or case 2 with an id and a state.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .element(let id, let action):
      encoder.enumCase(0, payloadCount: 2)
      id.encode(to: &encoder)
      action.encode(to: &encoder)
    case .popFrom(let id):
      encoder.enumCase(1, payloadCount: 1)
      id.encode(to: &encoder)
    case .push(let id, let state):
      encoder.enumCase(2, payloadCount: 2)
      id.encode(to: &encoder)
      state.encode(to: &encoder)
    }
  }

  /// Reads an action of a stack.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 2): self = .element(id: try decoder.value(), action: try decoder.value())
    case (1, 1): self = .popFrom(id: try decoder.value())
    case (2, 2): self = .push(id: try decoder.value(), state: try decoder.value())
    case (let key, _): throw WireError(.unknownCase(key, type: "StackAction"), at: start)
    }
  }

  /// An enum with three cases.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.enumeration(Self.self, name: "StackAction") { cases in
      cases.enumCase("element", key: 0, labels: ["id", "action"], Self.element(id:action:))
      cases.enumCase("popFrom", key: 1, labels: ["id"], Self.popFrom(id:))
      cases.enumCase("push", key: 2, labels: ["id", "state"], Self.push(id:state:))
    }
  }
}

extension StackAction: Replicated where State: Replicated, Action: Replicated {
  /// Returns true if the actions have different bytes.
  public func differs(from base: Self) -> Bool {
    switch (self, base) {
    case (.element(let id, let action), .element(let baseID, let base)): id != baseID || action.differs(from: base)
    case (.popFrom(let id), .popFrom(let base)): id != base
    case (.push(let id, let state), .push(let baseID, let base)): id != baseID || state.differs(from: base)
    default: true
    }
  }
}
