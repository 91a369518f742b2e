public import Wire

extension Counter.State: Replicated {
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 5)
    encoder.unsigned(0)
    count.encode(to: &encoder)
    encoder.unsigned(1)
    numberFact.encode(to: &encoder)
    encoder.unsigned(2)
    isLoadingFact.encode(to: &encoder)
    encoder.unsigned(3)
    isTimerOn.encode(to: &encoder)
    encoder.unsigned(4)
    factAlert.encode(to: &encoder)
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: count = try Int(from: &decoder)
      case 1: numberFact = try String?(from: &decoder)
      case 2: isLoadingFact = try Bool(from: &decoder)
      case 3: isTimerOn = try Bool(from: &decoder)
      case 4: factAlert = try FactAlert?(from: &decoder)
      default: try decoder.skip()
      }
    }
  }

  private func changes(from base: Self) -> ChangedFields {
    var changes = ChangedFields()
    changes.note(0, count.differs(from: base.count))
    changes.note(1, numberFact.differs(from: base.numberFact))
    changes.note(2, isLoadingFact.differs(from: base.isLoadingFact))
    changes.note(3, isTimerOn.differs(from: base.isTimerOn))
    changes.note(4, factAlert.differs(from: base.factAlert))
    return changes
  }

  public func differs(from base: Self) -> Bool { changes(from: base).count > 0 }

  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    let changes = changes(from: base)
    encoder.mapHeader(count: changes.count)
    if changes.contains(0) {
      encoder.unsigned(0)
      count.encodeDelta(from: base.count, to: &encoder)
    }
    if changes.contains(1) {
      encoder.unsigned(1)
      numberFact.encodeDelta(from: base.numberFact, to: &encoder)
    }
    if changes.contains(2) {
      encoder.unsigned(2)
      isLoadingFact.encodeDelta(from: base.isLoadingFact, to: &encoder)
    }
    if changes.contains(3) {
      encoder.unsigned(3)
      isTimerOn.encodeDelta(from: base.isTimerOn, to: &encoder)
    }
    if changes.contains(4) {
      encoder.unsigned(4)
      factAlert.encodeDelta(from: base.factAlert, to: &encoder)
    }
  }

  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: try count.apply(delta: &decoder)
      case 1: try numberFact.apply(delta: &decoder)
      case 2: try isLoadingFact.apply(delta: &decoder)
      case 3: try isTimerOn.apply(delta: &decoder)
      case 4: try factAlert.apply(delta: &decoder)
      default: try decoder.skip()
      }
    }
  }
}

extension FactAlert: Replicated {
  public func differs(from base: Self) -> Bool { title.differs(from: base.title) }

  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 1)
    encoder.unsigned(0)
    title.encode(to: &encoder)
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var title: String?
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: title = try String(from: &decoder)
      default: try decoder.skip()
      }
    }
    guard let title else { throw WireError(.missingField(key: 0, type: "FactAlert"), at: start) }
    self.init(title: title)
  }
}

extension NumberFactError: WireValue {
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 1)
    encoder.unsigned(0)
    message.encode(to: &encoder)
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var message: String?
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: message = try String(from: &decoder)
      default: try decoder.skip()
      }
    }
    guard let message else { throw WireError(.missingField(key: 0, type: "NumberFactError"), at: start) }
    self.init(message: message)
  }
}

extension Counter.Action: WireValue {
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .decrementButtonTapped: encoder.enumCase(0)
    case .incrementButtonTapped: encoder.enumCase(1)
    case .numberFactButtonTapped: encoder.enumCase(2)
    case .numberFactResponse(let result):
      encoder.enumCase(3, payloadCount: 1)
      result.encode(to: &encoder)
    case .toggleTimerButtonTapped: encoder.enumCase(4)
    case .timerTicked: encoder.enumCase(5)
    case .factAlertDismissed: encoder.enumCase(6)
    }
  }

  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 0): self = .decrementButtonTapped
    case (1, 0): self = .incrementButtonTapped
    case (2, 0): self = .numberFactButtonTapped
    case (3, 1): self = .numberFactResponse(try Result(from: &decoder))
    case (4, 0): self = .toggleTimerButtonTapped
    case (5, 0): self = .timerTicked
    case (6, 0): self = .factAlertDismissed
    case (let key, _): throw WireError(.unknownCase(key, type: "Counter.Action"), at: start)
    }
  }
}
