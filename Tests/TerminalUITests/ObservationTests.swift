import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct ObservationTests {
  final class Counts {
    var outer = 0
    var inner = 0
  }

  struct Outer: TerminalView {
    let store: StoreOf<Queue>
    let counts: Counts
    var body: some TerminalView {
      let _ = counts.outer += 1
      Column {
        Text("jobs: \(store.jobs.count)")
        Inner(store: store, counts: counts)
      }
    }
  }

  struct Inner: TerminalView {
    let store: StoreOf<Queue>
    let counts: Counts
    var body: some TerminalView {
      let _ = counts.inner += 1
      Text("name: \(store.name)")
    }
  }

  @Test func onlyTheBodyThatReadAChangedFieldIsEvaluatedWithThoseInIt() {
    let (store, counts) = (Queue.store(), Counts())
    let tester = TerminalTester(Outer(store: store, counts: counts), rows: 2, columns: 20)
    #expect(tester.lines == ["jobs: 3", "name:"])
    #expect((counts.outer, counts.inner) == (1, 1))
    store.send(.unrelatedChanged)
    _ = tester.screen
    #expect((counts.outer, counts.inner) == (1, 1))
    store.send(.binding(.set(\.name, "bread")))
    #expect(tester.lines == ["jobs: 3", "name: bread"])
    #expect((counts.outer, counts.inner) == (1, 2))
    store.send(.addButtonTapped)
    #expect(tester.lines == ["jobs: 4", "name:"])
    #expect((counts.outer, counts.inner) == (2, 3))
  }

  final class Unobserved { var text = "before" }

  @Test func aTesterShowsWhatATerminalWouldNotDraw() {
    let value = Unobserved()
    let tester = TerminalTester(Drawing { $0.text(0, 0, value.text) }, rows: 1, columns: 20)
    #expect(tester.lines == ["before"])
    value.text = "after"
    #expect(tester.lines == ["before"])
    tester.press("x")
    #expect(tester.lines == ["after"])
  }

  struct Restless: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView {
      Text("changed: \(store.unrelated > 0)")
      Changing(store: store)
    }
  }

  struct Changing: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView {
      let _ = store.send(.unrelatedChanged)
      Text("changing")
    }
  }

  @Test func aBodyThatChangesWhatAnotherReadsDoesNotStopTheScreen() {
    let tester = TerminalTester(Restless(store: Queue.store()), rows: 2, columns: 20)
    #expect(tester.lines == ["changed: true", "changing"])
    #expect(tester.lines == ["changed: true", "changing"])
  }

  struct Details: TerminalView {
    @ViewState var isOpen = false
    let text: String
    var body: some TerminalView {
      Text(isOpen ? text : "closed").key("enter", "open") { isOpen.toggle() }
    }
  }

  struct Around: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView { Details(text: "name: \(store.name)") }
  }

  @Test func aStateOfAViewStaysWhenTheViewIsCreatedAgain() {
    let store = Queue.store()
    let tester = TerminalTester(Around(store: store), rows: 1, columns: 20)
    tester.press("enter")
    store.send(.binding(.set(\.name, "bread")))
    #expect(tester.lines == ["name: bread"])
    tester.press("enter")
    #expect(tester.lines == ["closed"])
  }
}
