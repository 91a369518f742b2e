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
        Tab("extremes") { Extremes() }
      }
      .key("s", "sheet") { isOpen = true }
      .sheet(isPresented: $isOpen, title: "Sheet") { ControlTests.JobForm(store: store) }
    }
  }

  /// Values that another client may have written.
  struct Extremes: TerminalView {
    static let numbers: [Double] = [
      0, 1, -1e300, 1e300, 1e-300, 2e18, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    static let durations: [Duration] = [
      .zero, .seconds(Int64.min), .seconds(Int64.max), .milliseconds(-500), .nanoseconds(-1),
      Duration.seconds(Int64.max) * 10, Duration.seconds(Int64.min) * 10,
    ]
    static let ranges: [ClosedRange<Double>] = [
      0...1, -1e300...1e300, 0...0, -Double.infinity...Double.infinity,
      -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude,
    ]

    var body: some TerminalView {
      Column {
        Sparkline(Self.numbers)
        ForEach(Self.ranges, id: \.self) { Sparkline(Self.numbers, in: $0) }
        ForEach(Self.numbers.indices, id: \.self) { Progress(Self.numbers[$0]) }
        BarChart(Self.numbers.map { ("\($0)", $0) })
        Text(String(repeating: "long ", count: 10_000))
        List(CollectionRows(Self.durations, id: \.self)) { Cell($0) }
      }
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
    let characters = Array("dasq?/nN jkgG12345水é👩‍🌾\u{301}")
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
