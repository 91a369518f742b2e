import TestSupport
import Testing
import Wire

/// A nested struct, with a manual conformance as in `Replicated`'s example.
private struct Track: Replicated, Equatable {
  struct Place: Replicated, Equatable {
    var x = 0
    var y = 0.0

    func encode(to encoder: inout CBOREncoder) {
      encoder.mapHeader(count: 2)
      encoder.unsigned(0)
      x.encode(to: &encoder)
      encoder.unsigned(1)
      y.encode(to: &encoder)
    }

    init() {}

    init(from decoder: inout CBORDecoder) throws(WireError) {
      var fields = try decoder.fields()
      while let key = try decoder.nextKey(of: &fields) {
        switch key {
        case 0: x = try Int(from: &decoder)
        case 1: y = try Double(from: &decoder)
        default: try decoder.skip()
        }
      }
    }

    private func changes(from base: Self) -> ChangedFields {
      var changes = ChangedFields()
      changes.note(0, x.differs(from: base.x))
      changes.note(1, y.differs(from: base.y))
      return changes
    }

    func differs(from base: Self) -> Bool { changes(from: base).count > 0 }

    func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
      let changes = changes(from: base)
      encoder.mapHeader(count: changes.count)
      if changes.contains(0) {
        encoder.unsigned(0)
        x.encodeDelta(from: base.x, to: &encoder)
      }
      if changes.contains(1) {
        encoder.unsigned(1)
        y.encodeDelta(from: base.y, to: &encoder)
      }
    }

    mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
      var fields = try decoder.fields()
      while let key = try decoder.nextKey(of: &fields) {
        switch key {
        case 0: try x.apply(delta: &decoder)
        case 1: try y.apply(delta: &decoder)
        default: try decoder.skip()
        }
      }
    }
  }

  var place = Place()
  var name = ""
  var note: String??
  /// The highest key that a field may have.
  var isLast = false

  init() {}

  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 4)
    encoder.unsigned(0)
    place.encode(to: &encoder)
    encoder.unsigned(1)
    name.encode(to: &encoder)
    encoder.unsigned(30)
    note.encode(to: &encoder)
    encoder.unsigned(63)
    isLast.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: place = try Place(from: &decoder)
      case 1: name = try String(from: &decoder)
      case 30: note = try String??(from: &decoder)
      case 63: isLast = try Bool(from: &decoder)
      default: try decoder.skip()
      }
    }
  }

  private func changes(from base: Self) -> ChangedFields {
    var changes = ChangedFields()
    changes.note(0, place.differs(from: base.place))
    changes.note(1, name.differs(from: base.name))
    changes.note(30, note.differs(from: base.note))
    changes.note(63, isLast.differs(from: base.isLast))
    return changes
  }

  func differs(from base: Self) -> Bool { changes(from: base).count > 0 }

  func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    let changes = changes(from: base)
    encoder.mapHeader(count: changes.count)
    if changes.contains(0) {
      encoder.unsigned(0)
      place.encodeDelta(from: base.place, to: &encoder)
    }
    if changes.contains(1) {
      encoder.unsigned(1)
      name.encodeDelta(from: base.name, to: &encoder)
    }
    if changes.contains(30) {
      encoder.unsigned(30)
      note.encodeDelta(from: base.note, to: &encoder)
    }
    if changes.contains(63) {
      encoder.unsigned(63)
      isLast.encodeDelta(from: base.isLast, to: &encoder)
    }
  }

  mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: try place.apply(delta: &decoder)
      case 1: try name.apply(delta: &decoder)
      case 30: try note.apply(delta: &decoder)
      case 63: try isLast.apply(delta: &decoder)
      default: try decoder.skip()
      }
    }
  }
}

extension Track {
  fileprivate static func random(using generator: inout SplitMix) -> Track {
    var track = Track()
    track.place.x =
      [0, 1, .min, .max, .random(in: -300...300, using: &generator)].randomElement(using: &generator) ?? 0
    track.place.y = [0, -0.0, 1.5, 1.1, -.infinity].randomElement(using: &generator) ?? 0
    track.name = ["", "a", "\u{e9}", "e\u{301}"].randomElement(using: &generator) ?? ""
    track.note = [nil, .some(nil), "n"].randomElement(using: &generator) ?? nil
    track.isLast = .random(using: &generator)
    return track
  }

  fileprivate func delta(from base: Track) -> [UInt8] {
    var encoder = CBOREncoder()
    encodeDelta(from: base, to: &encoder)
    return encoder.bytes
  }

  fileprivate func applying(_ delta: [UInt8]) throws -> Track {
    var decoder = CBORDecoder(delta.span.bytes)
    let result = try applying(delta: &decoder)
    try decoder.finish()
    return result
  }
}

@Suite("Deltas", .computing)
struct ReplicatedTests {
  @Test("the delta of two values turns the first into the second", arguments: [UInt64](1...4))
  func randomPairs(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    for _ in 0..<1500 {
      let (old, new) = (Track.random(using: &generator), Track.random(using: &generator))
      let bytes = new.encoded()
      #expect(try Track(decoding: bytes.span.bytes) == new, "seed \(seed)")
      let delta = new.delta(from: old)
      let applied = try old.applying(delta)
      #expect(applied == new && applied.encoded() == bytes, "seed \(seed): from \(old) to \(new)")
      #expect(try CBORValue(decoding: delta.span.bytes).encoded() == delta, "a delta is deterministic, seed \(seed)")
    }
  }

  @Test("a delta contains only the changes")
  func size() {
    let old = Track()
    var new = old
    #expect(new.delta(from: old) == [0xa0])
    new.place.x = 2
    #expect(new.delta(from: old) == [0xa1, 0x00, 0xa1, 0x00, 0x02])
    new.isLast = true
    #expect(new.delta(from: old) == [0xa2, 0x00, 0xa1, 0x00, 0x02, 0x18, 63, 0xf5])
  }

  @Test("changes of fields that this version does not have are skipped")
  func unknownField() throws {
    // {0: {0: 2, 9: [1]}, 40: {1: "x"}}
    let delta: [UInt8] = [0xa2, 0x00, 0xa2, 0x00, 0x02, 0x09, 0x81, 0x01, 0x18, 40, 0xa1, 0x01, 0x61, 0x78]
    #expect(try Track().applying(delta).place.x == 2)
  }

  @Test("a delta that is truncated, or whose keys do not ascend, changes nothing")
  func brokenDelta() throws {
    var new = Track()
    (new.place.x, new.name, new.note, new.isLast) = (1000, "水", "n", true)
    let delta = new.delta(from: Track())
    for count in 0..<delta.count {
      let cut = Array(delta[..<count])
      #expect(throws: WireError.self) { try Track().applying(cut) }
    }
    // {1: "a", 0: {}}
    #expect(throws: WireError(.keysOutOfOrder, at: 4)) { try Track().applying([0xa2, 0x01, 0x61, 0x61, 0x00, 0xa0]) }
  }

  @Test("a nested optional keeps its levels")
  func nestedOptionals() throws {
    for (value, expected) in [(nil, [0xf6]), (.some(nil), [0x81, 0xf6]), ("", [0x81, 0x81, 0x60])]
      as [(String??, [UInt8])]
    {
      let bytes = value.encoded()
      #expect(bytes == expected)
      #expect(try String??(decoding: bytes.span.bytes) == value)
    }
  }

  @Test("a delta carries a change between values that == cannot tell apart, and nothing for the same NaN")
  func equalValuesWithOtherBytes() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(composed.encoded() == [0x62, 0xc3, 0xa9])
    #expect(decomposed.encoded() == [0x63, 0x65, 0xcc, 0x81])

    var (old, new) = (Track(), Track())
    (old.name, new.name) = (composed, decomposed)
    (old.note, new.note) = (decomposed, composed)
    (old.place.y, new.place.y) = (0.0, -0.0)
    #expect(old == new && new.differs(from: old))
    #expect(try old.applying(new.delta(from: old)).encoded() == new.encoded())

    var (before, after) = (Track(), Track())
    (before.place.y, after.place.y) = (.nan, .nan)
    #expect(before != after && !after.differs(from: before))
    #expect(after.delta(from: before) == [0xa0])
    after.place.y = Double(nan: 1, signaling: false)
    #expect(try before.applying(after.delta(from: before)).encoded() == after.encoded())
    after.note = .some(nil)
    before.note = nil
    #expect(after.differs(from: before))
    #expect(try before.applying(after.delta(from: before)).encoded() == after.encoded())
  }
}
