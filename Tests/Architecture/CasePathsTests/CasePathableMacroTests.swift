public import CasePaths
import IssueReporting
import Synchronization
import Testing

private final class Issues: IssueReporter {
  private let reported = Mutex<[String]>([])
  var messages: [String] { reported.withLock { $0 } }
  func report(_ message: String, at location: IssueLocation) { reported.withLock { $0.append(message) } }
}

@CasePathable @dynamicMemberLookup
private enum Action: Equatable {
  case quit
  case select(Int)
  case rename(id: Int, name: String)
  case labelled(value: Int)
  case inner(Inner)
  case `default`(Bool)
  indirect case again(Self)

  @CasePathable
  enum Inner: Equatable { case tapped, moved(x: Int, y: Int) }
}

@CasePathable @dynamicMemberLookup
private enum List {
  case texts([String])
  case none
}

@CasePathable
private enum Tree<Leaf> {
  case leaf(Leaf)
  indirect case branch(Tree<Leaf>, Tree<Leaf>)
}

@CasePathable public enum Empty {}

@Suite struct CasePathableMacroTests {
  @Test func aMemberOfTheCaseOfTheValueIsChangedInPlace() {
    var action: Action? = .rename(id: 1, name: "a")
    action?.rename?.name = "b"
    action?.select? += 1
    action?.select = 4
    action?.rename = nil
    #expect(action == .rename(id: 1, name: "b"))
    action = .select(1)
    action?.select? += 1
    #expect(action == .select(2))
  }

  @Test func casesAreNamedByKeyPaths() {
    let rename = Action.rename(id: 1, name: "one")
    #expect(rename.is(\.rename))
    #expect(!rename.is(\.quit))
    #expect(rename[case: \.rename]?.name == "one")
    #expect(Action.quit[case: \.quit] != nil)
    #expect(Action.select(3).select == 3)
    #expect(Action.select(3).rename == nil)
    #expect(Action.default(true).default == true)
    #expect(Action.labelled(value: 4).labelled == 4)
    #expect(Action.again(.quit)[case: \.again.quit] != nil)
    #expect(Action.inner(.moved(x: 1, y: 2)).is(\.inner.moved))
    #expect(!Action.inner(.tapped).is(\.inner.moved))
  }

  @Test func keyPathsEmbed() {
    #expect((\Action.Cases.select)(7) == .select(7))
    #expect((\Action.Cases.quit)() == .quit)
    #expect((\Action.Cases.inner.tapped)() == .inner(.tapped))
    #expect((\Action.Cases.rename)((id: 2, name: "two")) == .rename(id: 2, name: "two"))
  }

  @Test func casesArePatterns() {
    switch Action.inner(.tapped) {
    case \.quit: Issue.record("not quit")
    case \.inner: break
    default: Issue.record("inner")
    }
  }

  @Test func payloadsAreModifiedInPlace() {
    var action = Action.rename(id: 1, name: "one")
    action.modify(\.rename) { $0.name += "!" }
    #expect(action == .rename(id: 1, name: "one!"))
    action[case: \.rename]?.id = 2
    #expect(action == .rename(id: 2, name: "one!"))
    action = .select(3)
    action[case: \.select] = 4
    #expect(action == .select(4))
  }

  @Test func aModifiedPayloadIsNotCopied() {
    func place(_ texts: [String]) -> UInt { texts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    var list = List.texts(["a", "b"])
    let before = list.texts.map(place)
    list.modify(\.texts) { $0[0] = "c" }
    #expect(list.texts == ["c", "b"])
    #expect(list.texts.map(place) == before)
  }

  @Test func anotherCaseIsNotModified() {
    var action = Action.quit
    action[case: \.select] = 3
    #expect(action == .quit)
    let issues = Issues()
    withIssueReporters([issues]) { action.modify(\.select) { $0 += 1 } }
    #expect(action == .quit)
    #expect(issues.messages.first?.hasPrefix("Can't modify 'quit' via 'CaseKeyPath<") == true)
  }

  @Test func partialKeyPathsEmbedAndExtract() {
    let select: PartialCaseKeyPath<Action> = \.select
    #expect(select(3) == Action.select(3))
    #expect(select("3") == nil as Action?)
    let quit: PartialCaseKeyPath<Action> = \.quit
    #expect(quit(()) == Action.quit)
    #expect(Action.select(3)[case: select] as? Int == 3)
    #expect(Action.quit[case: select] == nil)
    #expect((\Action.Cases.select)(5) == Action.select(5))
    #expect(Action.allCasePaths[.select(1)](2) == Action.select(2))
  }

  @CasePathable fileprivate enum Declared: CasePathable { case one(Int), two }

  @Test func theConformanceMayBeDeclared() {
    #expect(Declared.one(1)[case: \.one] == 1)
    #expect(Array(Declared.allCasePaths).count == 2)
  }

  @Test func casesAreListedAndTold() {
    #expect(Array(Action.allCasePaths).count == 7)
    #expect(Action.allCasePaths[.select(1)] == \.select)
    #expect(Action.allCasePaths[.quit] == \.quit)
    #expect(Array(Empty.allCasePaths).isEmpty)
  }

  @Test func genericEnums() {
    #expect(Tree.leaf(3)[case: \.leaf] == 3)
    #expect(Tree<Int>.branch(.leaf(1), .leaf(2)).is(\.branch))
  }

  @Test func optionalsAndResults() {
    let value: Int? = 3
    #expect(value[case: \.some] == 3)
    #expect(value[case: \.none] == nil)
    let result = Result<Action, any Error>.success(.select(2))
    #expect(result[case: \.success.select] == 2)
    let optional: Action? = .select(9)
    #expect(optional[case: \.select] == 9)
  }

  @Test func casesNamedAsFunctions() {
    let select = /Action.select
    #expect(select.extract(from: .select(4)) == 4)
    #expect(select.extract(from: .quit) == nil)
    #expect((/Action.quit).extract(from: .quit) != nil)
    #expect((/Action.quit).extract(from: .select(1)) == nil)
    #expect((/Action.labelled).extract(from: .labelled(value: 8)) == 8)
    #expect((/Action.labelled).extract(from: .select(8)) == nil)
    #expect(select.embed(5) == .select(5))
  }
}
