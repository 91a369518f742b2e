import Features
import TestSupport
import Testing
import Wire

@Suite struct ReplicationTests {
  private static func randomState(using generator: inout SplitMix) -> AppFeature.State {
    var state = AppFeature.State()
    state.counter.count =
      [0, 1, -1, .max, .min, Int.random(in: -1000...1000, using: &generator)].randomElement(using: &generator) ?? 0
    state.counter.numberFact = [nil, "", "a fact", "ein Fäktchen 🎲"].randomElement(using: &generator) ?? nil
    state.counter.isLoadingFact = .random(using: &generator)
    state.counter.isTimerOn = .random(using: &generator)
    state.counter.factAlert =
      [nil, FactAlert(title: "no"), FactAlert(title: "")].randomElement(using: &generator) ?? nil
    return state
  }

  @Test func statesComeBackFromTheirBytesAndFromTheirDeltas() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the random states: \(seed)")
    var generator = SplitMix(seed: seed)
    for _ in 0..<5000 {
      let (old, new) = (Self.randomState(using: &generator), Self.randomState(using: &generator))
      let bytes = new.encoded()
      #expect(try AppFeature.State(decoding: bytes.span.bytes) == new)

      var encoder = CBOREncoder()
      new.encodeDelta(from: old, to: &encoder)
      let delta = encoder.bytes
      var decoder = CBORDecoder(delta.span.bytes)
      let applied = try old.applying(delta: &decoder)
      try decoder.finish()
      #expect(applied == new, "seed \(seed): from \(old) to \(new)")
      #expect(applied.encoded() == bytes)
    }
  }

  @Test func anEqualTextInOtherCharactersIsAChange() throws {
    var (old, new) = (AppFeature.State(), AppFeature.State())
    old.counter.numberFact = "caf\u{e9}"
    new.counter.numberFact = "cafe\u{301}"
    #expect(old == new)
    var encoder = CBOREncoder()
    new.encodeDelta(from: old, to: &encoder)
    let delta = encoder.bytes
    var decoder = CBORDecoder(delta.span.bytes)
    #expect(try old.applying(delta: &decoder).encoded() == new.encoded())
  }

  @Test func noChangeIsAnEmptyMap() {
    let state = AppFeature.State()
    var encoder = CBOREncoder()
    state.encodeDelta(from: state, to: &encoder)
    #expect(encoder.bytes == [0xa0])
  }

  @Test func aChangeOfOneFieldIsAFewBytes() {
    var state = AppFeature.State()
    let old = state
    state.counter.count = 7
    var encoder = CBOREncoder()
    state.encodeDelta(from: old, to: &encoder)
    #expect(encoder.bytes == [0xa1, 0x00, 0xa1, 0x00, 0x07])
  }

  @Test(arguments: [
    Counter.Action.decrementButtonTapped, .incrementButtonTapped, .numberFactButtonTapped,
    .numberFactResponse(.success("yes")), .numberFactResponse(.failure(NumberFactError(message: "no"))),
    .toggleTimerButtonTapped, .timerTicked, .factAlertDismissed,
  ])
  func actionsComeBackFromTheirBytes(action: Counter.Action) throws {
    let bytes = AppFeature.Action.counter(action).encoded()
    #expect(try AppFeature.Action(decoding: bytes.span.bytes) == .counter(action))
  }

  @Test func anIncrementIsThreeBytes() {
    #expect(AppFeature.Action.counter(.incrementButtonTapped).encoded() == [0x82, 0x00, 0x01])
  }

  @Test(
    arguments: [
      [0x82, 0x00, 0x18, 0x63], [0x82, 0x00, 0x07], [0x82, 0x01, 0x01], [0x82, 0x00], [0x82, 0x00, 0x01, 0x00], [],
    ] as [[UInt8]])
  func whatIsNoActionIsRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try AppFeature.Action(decoding: bytes.span.bytes) }
  }

  @Test func fieldsOfALaterVersionArePassedOver() throws {
    let later = CBORValue.map([
      .init(key: .unsigned(0), value: .map([.init(key: .unsigned(0), value: .unsigned(3))])),
      .init(key: .unsigned(9), value: .text("new")),
    ]).encoded()
    #expect(try AppFeature.State(decoding: later.span.bytes).counter.count == 3)
  }
}
