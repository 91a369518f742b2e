public import ComposableCore
public import Wire

extension TextState: WireValue {
  /// `TextState`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("TextState") }

  /// Writes an array of `[characters, style]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: runs.count)
    for run in runs {
      encoder.arrayHeader(count: 2)
      encoder.text(run.string)
      run.style.encode(to: &encoder)
    }
  }

  /// Reads pieces of text. None of them may be empty or mergeable with the next.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var runs: [Run] = []
    for _ in 0..<(try decoder.arrayHeader()) {
      try decoder.tuple(2)
      let string = try decoder.text()
      runs.append(Run(string, style: try TextStyle(from: &decoder)))
    }
    self.init(runs: runs)
    guard self.runs == runs else { throw WireError(.notShortest, at: start) }
  }
}

extension TextState: Replicated {
  /// Returns true if characters or styles differ.
  public func differs(from base: TextState) -> Bool {
    runs.count != base.runs.count
      || zip(runs, base.runs).contains {
        $0.string.differs(from: $1.string) || $0.style != $1.style
          || $0.style.accessibilityLabel.differs(from: $1.style.accessibilityLabel)
      }
  }
}

extension TextStyle: WireValue {
  private var flags: [Bool] { [isBold, isItalic, isMonospaced, isStruckThrough] }

  /// Writes `{? 0: bold, ? 1: italic, ? 2: monospaced, ? 3: struck through, ? 4: colour, ? 5: weight, ? 6: label}`; an
  /// omitted entry means false or nil.
  public func encode(to encoder: inout CBOREncoder) {
    let values = (foregroundColor == nil ? 0 : 1) + (fontWeight == nil ? 0 : 1) + (accessibilityLabel == nil ? 0 : 1)
    encoder.mapHeader(count: flags.count { $0 } + values)
    for (key, flag) in flags.enumerated() where flag {
      encoder.unsigned(UInt64(key))
      encoder.bool(true)
    }
    if let foregroundColor {
      encoder.unsigned(4)
      foregroundColor.encode(to: &encoder)
    }
    if let fontWeight {
      encoder.unsigned(5)
      fontWeight.encode(to: &encoder)
    }
    if let accessibilityLabel {
      encoder.unsigned(6)
      encoder.text(accessibilityLabel)
    }
  }

  /// Reads a style and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: isBold = try decoder.set()
      case 1: isItalic = try decoder.set()
      case 2: isMonospaced = try decoder.set()
      case 3: isStruckThrough = try decoder.set()
      case 4: foregroundColor = try TextColor(from: &decoder)
      case 5: fontWeight = try TextWeight(from: &decoder)
      case 6: accessibilityLabel = try decoder.text()
      default: try decoder.skip()
      }
    }
  }
}

extension CBORDecoder {
  /// Reads true; false is written by omitting the field.
  @_lifetime(self: copy self)
  fileprivate mutating func set() throws(WireError) -> Bool {
    let start = offset
    guard try bool() else { throw WireError(.notShortest, at: start) }
    return true
  }
}

extension TextColor: WireValue {
  private static let names: [TextColor] = [
    .black, .red, .green, .yellow, .blue, .magenta, .cyan, .white, .secondary,
  ]

  /// Writes the number of a named colour, or case 9 with red, green and blue.
  public func encode(to encoder: inout CBOREncoder) {
    if case .rgb(let red, let green, let blue) = self {
      encoder.enumCase(9, payloadCount: 3)
      for part in [red, green, blue] { part.encode(to: &encoder) }
    } else if let index = Self.names.firstIndex(of: self) {
      encoder.enumCase(UInt64(index))
    }
  }

  /// Reads a colour.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (9, 3): self = .rgb(red: try decoder.value(), green: try decoder.value(), blue: try decoder.value())
    case (let key, 0) where key < UInt64(Self.names.count): self = Self.names[Int(key)]
    case (let key, _): throw WireError(.unknownCase(key, type: "TextColor"), at: start)
    }
  }
}

extension TextWeight: WireValue {
  private static let names: [TextWeight] = [
    .ultraLight, .thin, .light, .regular, .medium, .semibold, .bold, .heavy, .black,
  ]

  /// Writes the number of the weight, starting with 0 for the lightest.
  public func encode(to encoder: inout CBOREncoder) {
    if let index = Self.names.firstIndex(of: self) { encoder.enumCase(UInt64(index)) }
  }

  /// Reads a weight.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let (key, count) = try decoder.caseKey()
    guard count == 0, key < UInt64(Self.names.count) else {
      throw WireError(.unknownCase(key, type: "TextWeight"), at: start)
    }
    self = Self.names[Int(key)]
  }
}
