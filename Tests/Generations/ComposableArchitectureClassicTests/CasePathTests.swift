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
    let same: CasePath<Outer, Outer> = /.self
    #expect(same.extract(from: .empty) == .empty && (/Outer.self).extract(from: .empty) == .empty)
    let some: CasePath<Int?, Int> = /Optional.some
    #expect(some.extract(from: 1) == 1)
    let own = CasePath<Outer, Int>(
      embed: { .pair($0, name: "") }, extract: { if case .pair(let number, _) = $0 { number } else { nil } })
    #expect(own.extract(from: .pair(9, name: "x")) == 9)
  }

  private enum Plain { case first, other(Int), pair(Int, name: String) }

  /// Returns the types and a value of a path whose types nothing but the path determines.
  private func value<Root, Value>(of path: CasePath<Root, Value>, in root: Root) -> Value? { path.extract(from: root) }

  @Test func theTypesOfAPathComeFromTheCaseAlone() {
    let some = /Optional<Int>.some
    #expect(some.extract(from: 3) == 3)
    let success = /Result<Int, Never>.success
    #expect(success.extract(from: .success(4)) == 4)
    let other = /Plain.other
    #expect(other.extract(from: .other(5)) == 5)
    let pair = /Plain.pair
    #expect(pair.extract(from: .pair(6, name: "six"))?.1 == "six")
    #expect(value(of: /Optional<Int>.some, in: 7) == 7)
    #expect(value(of: /Plain.other, in: .other(8)) == 8)
    let first = /Plain.first
    #expect(first.extract(from: .first) != nil && first.extract(from: .other(1)) == nil)
    let typed: CasePath<Plain, Void> = /Plain.first
    #expect(typed.extract(from: .first) != nil && typed.extract(from: .other(1)) == nil)
    let short: CasePath<Plain, Void> = /.first
    #expect(short.extract(from: .first) != nil)
    #expect(value(of: /Plain.first, in: .first) != nil)
    let empty = /Outer.empty
    #expect(empty.extract(from: .empty) != nil && empty.extract(from: .inner(.number(1))) == nil)
  }

  struct Screen: Equatable {
    var mode = Mode.list
    var selection: Row?
  }
  enum Mode: Equatable { case list, editor(Row) }
  struct Row: Equatable {
    var name = ""
    var note: String?
  }

  @Test func optionalPathsLeadThroughCasesAndOptionals() {
    var screen = Screen()
    let name = (\Screen.mode) .. /Mode.editor .. \Row.name
    #expect(name.extract(from: screen) == nil)
    name.set(into: &screen, "ignored")
    #expect(screen == Screen())
    screen.mode = .editor(Row())
    name.set(into: &screen, "Blob")
    #expect(screen.mode == .editor(Row(name: "Blob")) && name.extract(from: screen) == "Blob")

    let note = OptionalPath(\Screen.selection).appending(path: \Row.note)
    note.set(into: &screen, "ignored")
    #expect(screen.selection == nil)
    screen.selection = Row()
    #expect(note.extract(from: screen) == nil)
    note.set(into: &screen, "note")
    #expect(screen.selection?.note == "note" && note.extract(from: screen) == "note")

    let inner = OptionalPath(/Outer.inner) .. OptionalPath(/Inner.number)
    #expect(inner.extract(from: .inner(.number(3))) == 3)
    let whole: OptionalPath<Inner, Inner> = .self
    #expect(((/Outer.inner) .. whole).extract(from: .inner(.number(2))) == .number(2))
    #expect(OptionalPath<Int?, Int>.some.extract(from: 4) == 4)
    #expect((\Screen.mode).extract(from: screen) == screen.mode)
  }
}
