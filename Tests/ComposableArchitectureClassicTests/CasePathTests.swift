import ComposableArchitectureClassic
import Testing

@Suite struct CasePathTests {
  enum Outer: Equatable { case inner(Inner), pair(Int, name: String), empty }
  enum Inner: Equatable { case number(Int) }

  @Test func theOperatorsOfTheOlderVersions() {
    let path = /Outer.inner .. /Inner.number
    #expect(path.embed(3) == .inner(.number(3)))
    #expect(path.extract(from: .inner(.number(4))) == 4)
    #expect(path.extract(from: .empty) == nil)
    #expect((/Outer.inner).appending(path: /Inner.number).extract(from: .inner(.number(5))) == 5)
    #expect((/Outer.pair).extract(from: .pair(1, name: "one"))?.1 == "one")
    #expect((/Outer.empty).extract(from: .empty) != nil)
    switch Outer.inner(.number(1)) {
    case /Outer.inner: break
    default: Issue.record("no match")
    }
    enum Plain { case first, second, other(Int) }
    #expect((/Plain.first).extract(from: .first) != nil && (/Plain.first).extract(from: .second) == nil)
    #expect((/Plain.first).extract(from: .other(1)) == nil && (/Plain.other).extract(from: .other(1)) == 1)
    let values: [Outer] = [.inner(.number(1)), .empty, .inner(.number(2))]
    #expect(values.compactMap(path.extract(from:)) == [1, 2])
    #expect(["a", "bc"].map(^\.count) == [1, 2])
    let own = CasePath<Outer, Int>(
      embed: { .pair($0, name: "") }, extract: { if case .pair(let number, _) = $0 { number } else { nil } })
    #expect(own.extract(from: .pair(9, name: "x")) == 9)
  }
}
