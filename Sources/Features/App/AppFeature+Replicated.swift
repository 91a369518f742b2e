public import Wire

extension AppFeature.State: Replicated {
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 1)
    encoder.unsigned(0)
    counter.encode(to: &encoder)
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: counter = try Counter.State(from: &decoder)
      default: try decoder.skip()
      }
    }
  }

  public func differs(from base: Self) -> Bool { counter.differs(from: base.counter) }

  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    var changes = ChangedFields()
    changes.note(0, counter.differs(from: base.counter))
    encoder.mapHeader(count: changes.count)
    if changes.contains(0) {
      encoder.unsigned(0)
      counter.encodeDelta(from: base.counter, to: &encoder)
    }
  }

  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: try counter.apply(delta: &decoder)
      default: try decoder.skip()
      }
    }
  }
}

extension AppFeature.Action: WireValue {
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .counter(let action):
      encoder.enumCase(0, payloadCount: 1)
      action.encode(to: &encoder)
    }
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 1): self = .counter(try Counter.Action(from: &decoder))
    case (let key, _): throw WireError(.unknownCase(key, type: "AppFeature.Action"), at: start)
    }
  }
}
