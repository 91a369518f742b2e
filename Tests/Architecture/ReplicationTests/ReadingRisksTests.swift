import Features
import IdentifiedCollections
import Testing

@testable import Wire

/// The risks that a type's values cannot be read back, which a hub learns from the schema once.
@Suite struct ReadingRisksTests {
  @Replicated struct Plain: Hashable, Identifiable { var id = 0, text = "", weight = 0.5, notes: [String] = [] }

  enum Colour: String { case red, green }

  @Replicated struct Key: Hashable {
    var name = ""
    @Replicated(omit) var cache = 0
  }

  @Replicated struct Constant: Hashable {
    var name = ""
    @Replicated(omit) let cache = 0
  }

  @Replicated struct Nameless: Hashable, Identifiable {
    var text = ""
    @Replicated(omit) var id = 0
  }

  @Replicated struct Computed: Hashable, Identifiable {
    var first = 0
    var second = 0
    var id: String { "\(first)-\(second)" }
  }

  @Replicated struct Tree: Equatable, Identifiable { var id = 0, children: IdentifiedArrayOf<Tree> = [] }

  @Replicated indirect enum Expression: Equatable { case number(Int), sum(Expression, Expression) }

  @Replicated struct Inner: Equatable { var wide: Wide? }
  @Replicated struct Middle: Equatable { var inner: Inner? }
  @Replicated struct Wide: Equatable { var middles: [Middle?] = [] }

  struct Percent: RawRepresentable, Hashable {
    var rawValue: Int
    init?(rawValue: Int) { if rawValue <= 100 { self.rawValue = rawValue } else { return nil } }
  }

  struct Rights: OptionSet { let rawValue: UInt8 }

  struct Opaque: Replicated, Hashable {
    init() {}
    func encode(to encoder: inout CBOREncoder) { encoder.null() }
    init(from decoder: inout CBORDecoder) throws(WireError) { try decoder.skip() }
  }

  private func risks<Value: WireValue>(_ type: Value.Type) -> ReadingRisks { ReadingRisks(of: type) }

  @Test func mostTypesHaveNone() {
    #expect(risks(Plain.self) == [])
    #expect(risks([String: [Plain]].self) == [])
    #expect(risks(IdentifiedArrayOf<Plain>.self) == [])
    #expect(risks(IdentifiedArrayOf<Computed>.self) == [])
    #expect(risks(Set<Colour>.self) == [])
    #expect(risks(Rights.self) == [])
    // Outside of keys every value has its bytes.
    #expect(risks([Key].self) == [])
    #expect(risks([String: Double].self) == [])
  }

  /// Their hot path has no checks.
  @Test func theShippedFeatureHasNone() {
    #expect(risks(AppFeature.State.self) == [])
    #expect(risks(AppFeature.Action.self) == [])
  }

  @Test func keysMayBeUnequalToThemselves() {
    #expect(risks([Double: Int].self) == .values)
    #expect(risks(Set<[Float?]>.self) == .values)
    #expect(risks(Set<Plain>.self) == .values)
    #expect(risks(Range<Double>.self) == .values)
  }

  @Test func differentKeysMayHaveTheSameBytes() {
    #expect(risks([Key: Int].self) == .keys)
    #expect(risks(Set<Constant>.self) == .keys)
    #expect(risks(Set<[Key?]>.self) == .keys)
    #expect(risks(IdentifiedArrayOf<Nameless>.self) == .keys)
    #expect(risks(Set<Opaque>.self) == [.keys, .values])
  }

  @Test func recursiveTypesMayBeTooDeep() {
    #expect(risks(Tree.self) == .depth)
    #expect(risks([Tree].self) == .depth)
    #expect(risks(Expression.self) == .depth)
    #expect(risks(Wide.self) == [.depth, .nesting])
  }

  @Test func rawValuesMayBeRefused() {
    #expect(risks(Percent.self) == .values)
    #expect(risks(Opaque.self) == .values)
  }
}

extension ReadingRisksTests.Colour: Replicated {}
extension ReadingRisksTests.Percent: Replicated {}
extension ReadingRisksTests.Rights: Replicated {}
