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
