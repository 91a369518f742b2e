extension Result: WireValue where Success: WireValue, Failure: WireValue {
  /// Writes case 0 with the success, or case 1 with the failure.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .success(let value):
      encoder.enumCase(0, payloadCount: 1)
      value.encode(to: &encoder)
    case .failure(let error):
      encoder.enumCase(1, payloadCount: 1)
      error.encode(to: &encoder)
    }
  }

  /// Reads a success or a failure.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 1): self = .success(try Success(from: &decoder))
    case (1, 1): self = .failure(try Failure(from: &decoder))
    case (let key, _): throw WireError(.unknownCase(key, type: "Result"), at: start)
    }
  }

  /// A result and its two payloads.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Result", [Success.schema(in: &builder), Failure.schema(in: &builder)])
  }
}

extension Result: Replicated where Success: Replicated, Failure: Replicated {
  /// True if a payload has parts that can change individually.
  public static var hasParts: Bool { Success.hasParts || Failure.hasParts }

  /// Returns true if the case or its payload differs.
  public func differs(from base: Self) -> Bool {
    switch (self, base) {
    case (.success(let value), .success(let base)): value.differs(from: base)
    case (.failure(let value), .failure(let base)): value.differs(from: base)
    default: true
    }
  }

  /// Writes `{case: delta}` if the case is the same, and the new result otherwise.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    switch (self, base) {
    case (.success(let value), .success(let base)):
      encoder.change(of: 0)
      value.encodeDelta(from: base, to: &encoder)
    case (.failure(let value), .failure(let base)):
      encoder.change(of: 1)
      value.encodeDelta(from: base, to: &encoder)
    default: encode(to: &encoder)
    }
  }

  /// Replaces the result, or changes its payload.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let key = try decoder.change() else {
      self = try Self(from: &decoder)
      return
    }
    switch (key, self) {
    case (0, .success(var value)):
      try value.apply(delta: &decoder)
      self = .success(value)
    case (1, .failure(var error)):
      try error.apply(delta: &decoder)
      self = .failure(error)
    default: try decoder.passOver("Result", at: start)
    }
  }
  /// The payload, for the step of its case.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    guard let step = path.first else { return self }
    switch (self, step) {
    case (.success(let value), .key(0)): return value.part(at: path.dropFirst())
    case (.failure(let value), .key(1)): return value.part(at: path.dropFirst())
    default: return nil
    }
  }
}
