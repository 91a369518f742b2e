import Glibc
import TerminalUI
import Testing

@Suite struct LayoutTests {
  @Test func rowsAndColumnsShareTheRoom() {
    expectScreen(
      render(
        Column {
          Row {
            Text("left")
            Spacer()
            Text("right")
          }
          Divider()
          Text("a text that is broken into lines").color(.red)
          Spacer()
          Text("last").aligned(.center)
        }, size: CanvasSize(rows: 7, columns: 20)),
      """
      left           right
      <dim>────────────────────</>
      <red>a text that is</>
      <red>broken into lines</>


              last
      """, styled: true)
  }

  @Test func aBorderAndStylesSurroundAView() {
    expectScreen(
      render(Text("hello").border("Title").bold(), size: CanvasSize(rows: 3, columns: 12)),
      """
      <bold,dim>┌ Title ───┐</>
      <bold,dim>│</> <bold>hello</>    <bold,dim>│</>
      <bold,dim>└──────────┘</>
      """, styled: true)
  }

  @Test func chartsAreDrawn() {
    expectScreen(
      render(
        Column {
          Progress(0.5)
          Sparkline([0, 1, 2, 4, 8])
          BarChart([("one", 1), ("two", 2)])
        }, size: CanvasSize(rows: 4, columns: 20)),
      """
      ████████░░░░░░░ 50 %
      ▁▂▃▅█
      one ███████ 1
      two ██████████████ 2
      """)
  }

  @Test func valuesOfAnySizeAreDrawn() {
    #expect(render(Sparkline([-1e300, 1e-300]), size: CanvasSize(rows: 1, columns: 9)).lines == ["▁█"])
    #expect(render(Sparkline([2e18, .nan, -1], in: 0...1), size: CanvasSize(rows: 1, columns: 9)).lines == ["█▁▁"])
    #expect(Duration.seconds(Int64.min).inLargestUnits == "-106751991167300 d 15 h")
    #expect(Duration.seconds(Int64.max).inLargestUnits == "106751991167300 d 15 h")
    #expect((Duration.seconds(Int64.min) * 10).inLargestUnits == "-106751991167300 d 15 h")
    #expect(Duration.seconds(-90).inLargestUnits == "-1 min 30 s")
    #expect(Duration.milliseconds(-500).inLargestUnits == "-500 ms")
    #expect(Duration.nanoseconds(-1).inLargestUnits == "0 s")
  }

  /// A text that another client may have written, in all views that measure one.
  struct Texts: TerminalView {
    let text: String
    var body: some TerminalView {
      Column {
        Row {
          Text(text)
          Button(text) {}
        }
        Toggle(text, isOn: .constant(true))
        Progress(0.5, label: text)
        BarChart([(text, 1)])
        Table([Queue.Job(id: 1, name: text)]) { TableColumn("text") { $0.name } }
      }
    }
  }

  /// The processor time of this thread: pauses do not count.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func aFrameCostsWhatIsVisibleOfATextOfAnyLength() {
    func time(_ length: Int) -> Duration {
      let text = String(repeating: "é", count: length)
      let tree = ViewTree(size: CanvasSize(rows: 24, columns: 80))
      tree.show(Texts(text: text))
      _ = tree.draw()
      let start = processorTime()
      for _ in 0..<10 { _ = tree.draw() }
      return processorTime() - start
    }
    #expect(TextWidth.columns(of: "水曜日", upTo: 4) == 4)
    #expect(TextWidth.columns(of: "水曜日", upTo: 9) == 6)
    #expect(TextWidth.columns(of: "水", upTo: 0) == 0)
    // Other programs may take the cache or the memory meanwhile.
    var found: [String] = []
    for _ in 0..<10 {
      let (short, long) = (time(20_000), time(4_000_000))
      if long < short * 20 { return }
      found.append("\(long) for 4,000,000 characters, \(short) for 20,000")
    }
    Issue.record("\(found)")
  }

  @Test func theHelpLineHasARowBelowContentThatIsTooLong() {
    struct Long: TerminalView {
      var body: some TerminalView {
        Column { ForEach(Array(0..<30), id: \.self) { Text("row \($0)") } }.key("x", "explode") {}
      }
    }
    let tester = TerminalTester(Long(), rows: 24, columns: 40, hasHelpLine: true)
    #expect(tester.lines[0] == "row 0" && tester.lines[22] == "row 22")
    #expect(tester.lines[23] == "x explode   ? help   q quit")
    tester.press(.paste("x"))
    #expect(Array(tester.lines.suffix(2)) == ["pasted text is ignored where no text is", "edited"])
  }

  @Test func contentThatIsTooLongScrolls() {
    let tester = TerminalTester(
      ScrollView { Text((1...10).map(String.init).joined(separator: "\n")) }, rows: 3, columns: 10)
    #expect(tester.lines == ["1", "2", "3"])
    tester.press("down")
    #expect(tester.lines == ["2", "3", "4"])
    tester.press("end", "down")
    #expect(tester.lines == ["8", "9", "10"])
    tester.press("pageup", "pageup", "pageup", "pageup")
    #expect(tester.lines == ["1", "2", "3"])
    tester.press("wheeldown")
    tester.resize(rows: 12, columns: 10)
    #expect(tester.lines[0] == "1")
    tester.press("down")
    #expect(tester.unhandledKeys == [.down])
  }

  @Test func aDifferenceOfScreensNamesItsLines() {
    let screen = render(Text("one\ntwo"), size: CanvasSize(rows: 2, columns: 5))
    withKnownIssue {
      expectScreen(screen, "one\nthree")
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("  − three\n  + two") }
    }
  }
}
