import CasePaths
import Testing

/// Case paths in the form before key paths: `/Signal.changed`.
@Suite struct CasePathOperatorTests {
  private enum Signal {
    case changed(to: Int)
    case changed(by: Int)
    case pair(Int, label: String)
    case pair(first: Int, label: String)
    case inner(Inner)
    case silent
    case off

    enum Inner { case ticked, level(Int) }
  }

  @Test func casesWithOneNameDifferByTheirLabels() {
    let (to, by) = (/Signal.changed(to:), /Signal.changed(by:))
    #expect(to.extract(from: .changed(to: 1)) == 1 && to.extract(from: .changed(by: 1)) == nil)
    #expect(by.extract(from: .changed(by: 2)) == 2 && by.extract(from: .changed(to: 2)) == nil)
    let plain: AnyCasePath<Signal, (Int, String)> = /Signal.pair(_:label:)
    #expect(plain.extract(from: .pair(1, label: "a")).map(\.0) == 1)
    #expect(plain.extract(from: .pair(first: 1, label: "a")) == nil)
  }

  @Test func aCaseWithoutValuesNeedsNoEquality() {
    let silent = /Signal.silent
    #expect(silent.extract(from: .silent) != nil && silent.extract(from: .off) == nil)
    guard case .silent = silent.embed(()) else {
      Issue.record("embedded another case")
      return
    }
  }

  @Test func pathsAreJoined() {
    let level = /Signal.inner .. /Signal.Inner.level
    #expect(level.extract(from: .inner(.level(3))) == 3)
    #expect(level.extract(from: .inner(.ticked)) == nil && level.extract(from: .off) == nil)
  }

  @Test func aPathFiltersASequence() {
    let signals: [Signal] = [.off, .changed(to: 1), .inner(.level(2)), .inner(.ticked), .changed(by: 3)]
    #expect(signals.compactMap(/Signal.changed(by:)) == [3])
    #expect(signals.compactMap(/Signal.off).count == 1)
    #expect(signals.compactMap(/Signal.inner .. Signal.Inner.level) == [2])
    let changed: (Signal) -> Int? = /Signal.changed(to:)
    #expect(signals.map(changed) == [nil, 1, nil, nil, nil])
  }

  @Test func aPathIsMadeOfACase() {
    #expect(AnyCasePath(Signal.changed(to:)).extract(from: .changed(to: 1)) == 1)
    let off = AnyCasePath(Signal.off)
    #expect(off.extract(from: .off) != nil && off.extract(from: .silent) == nil)
  }

  @Test func aValueIsExtractedByTheNameOfItsCase() {
    #expect(extract(case: Signal.changed(by:), from: .changed(by: 2)) == 2)
    #expect(extract(case: Signal.changed(by:), from: .changed(to: 2)) == nil)
    let inner: Signal? = .inner(.level(3))
    let missing: Signal? = nil
    #expect(extract(case: Signal.Inner.level, from: extract(case: Signal.inner, from: inner)) == 3)
    #expect(extract(case: Signal.changed(to:), from: missing) == nil)
  }

  @Test func aPathIsDescribedByItsTypes() {
    let changed: AnyCasePath<Signal, Int> = /Signal.changed(to:)
    #expect(String(reflecting: changed) == "AnyCasePath<CasePathOperatorTests.Signal, Int>")
    let some = AnyCasePath<[Int]?, [Int]>(embed: { $0 }, extract: { $0 })
    #expect("\(some)" == "AnyCasePath<[Int]?, [Int]>")
  }

  @Test func aPathMatchesInASwitch() {
    switch Signal.changed(by: 1) {
    case /Signal.changed(to:): Issue.record("matched another case")
    case /Signal.changed(by:): break
    default: Issue.record("matched nothing")
    }
  }

  @Test func aChangeOfAnotherCaseThrows() throws {
    struct Refusal: Error {}
    var signal = Signal.inner(.level(1))
    let level = /Signal.inner .. /Signal.Inner.level
    try level.modify(&signal) { $0 += 1 }
    #expect(level.extract(from: signal) == 2)
    #expect(throws: Refusal.self) {
      try level.modify(&signal) {
        $0 = 9
        throw Refusal()
      }
    }
    #expect(level.extract(from: signal) == 2)
    signal = .off
    let error = #expect(throws: ExtractionFailed.self) { try level.modify(&signal) { $0 += 1 } }
    #expect(error?.description == "expected a case with a value of type Int, but the value is off")
  }

  @Test func aWholeValueAndAnOptionalHavePaths() throws {
    func pass<Root, Value>(_ path: AnyCasePath<Root, Value>, _ root: Root) -> Value? { path.extract(from: root) }
    #expect(pass(/.self, 3) == 3)
    #expect((/Int.self).extract(from: 4) == 4)
    var count: Int? = 1
    try (/.some).modify(&count) { $0 += 1 }
    #expect(count == 2 && pass(/.some, Int?.none) == nil)
    #expect((/String?.some).extract(from: "a") == "a")
  }
}
