import ComposableArchitecture
import RandomNumbers
import TerminalUI
import TestSupport
import Testing

/// Random keys on screens of random sizes.
@Suite struct RandomKeysTests {
  struct Everything: TerminalView {
    let store: StoreOf<Queue>
    @ViewState var isOpen = false
    var body: some TerminalView {
      Tabs {
        Tab("queue") { QueueView(store: store) }
        Tab("form") { ControlTests.JobForm(store: store) }
        Tab("both") {
          Row {
            List(store.jobs) { Cell($0.name) }.searchable().border("List")
            ControlTests.JobForm(store: store)
          }
        }
        Tab("charts") { GalleryTests.Charts() }
      }
      .key("s", "sheet") { isOpen = true }
      .sheet(isPresented: $isOpen, title: "Sheet") { ControlTests.JobForm(store: store) }
    }
  }

  @Test func noScreenTrapsOrIsTooWide() {
    let seed = UInt64.random(in: 0 ... .max)
    print("random keys: seed \(seed)")
    var random = SplitMix(seed: seed)
    let keys: [Key] = [
      .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .backspace, .delete, .tab, .backTab, .escape, .enter,
      .wheelUp, .wheelDown, .other, .control("u"), .control("w"), .control("a"), .paste("two\nlines 水"), .paste(""),
    ]
    let characters = Array("dasq?/nN jkgG1234水é👩‍🌾\u{301}")
    let store = Queue.store(50)
    let tester = TerminalTester(Everything(store: store), rows: 24, columns: 80, hasHelpLine: true)
    for step in 0..<3000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        tester.resize(rows: .random(in: 0...30, using: &random), columns: .random(in: 0...100, using: &random))
      case 1:
        tester.press(.click(row: .random(in: -1...30, using: &random), column: .random(in: -1...100, using: &random)))
      case 2: tester.advance(by: .milliseconds(700))
      case 3: store.send(.addButtonTapped)
      case 4...10: tester.press(keys.randomElement(using: &random) ?? .enter)
      default: tester.press(.character(characters.randomElement(using: &random) ?? "x"))
      }
      let screen = tester.screen
      #expect(screen.lines.count == screen.size.rows, "step \(step), seed \(seed)")
      for line in screen.lines where TextWidth.columns(of: line) > screen.size.columns {
        Issue.record("step \(step), seed \(seed): a line is too long: \(line)")
      }
    }
  }
}
