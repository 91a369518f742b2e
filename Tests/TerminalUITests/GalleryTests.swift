import ComposableArchitecture
import Foundation
import TerminalUI
import TestSupport
import Testing

/// Each element in three sizes, as in `Tests/Golden/terminal-views`. `STOREHUB_GOLDEN=write` in the environment writes
/// the files.
@Suite struct GalleryTests {
  static let sizes = [(24, 80), (12, 40), (6, 20)]

  @Test(arguments: ["text", "table", "list", "form", "charts", "tabs", "alert", "sheet", "help"])
  func isDrawnAsBefore(element: String) throws {
    let sections = Self.sizes.map { rows, columns in
      let tester = Self.tester(element, rows: rows, columns: columns)
      // Each style is visible without colours as well: bold, dim or reversed.
      return (["## \(columns) × \(rows)"] + tester.screen.styledLines).joined(separator: "\n")
    }
    let text = sections.joined(separator: "\n\n") + "\n"
    let file = RepositoryFiles.url("Tests/Golden/terminal-views/\(element).txt")
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  private static func tester(_ element: String, rows: Int, columns: Int) -> TerminalTester {
    let store = Queue.store(40)
    store.send(.jobs(.element(id: 2, action: .started)))
    func tester(_ view: some TerminalView) -> TerminalTester {
      TerminalTester(view, rows: rows, columns: columns, hasHelpLine: true)
    }
    switch element {
    case "text": return tester(Texts())
    case "table", "alert", "help":
      let tester = tester(QueueView(store: store))
      tester.press("down")
      if element == "alert" { tester.press("d") }
      if element == "help" { tester.press("?") }
      return tester
    case "list":
      return tester(List(store.jobs) { Cell($0.name, dim: $0.id % 2 == 0) }.highlighted(["job"]))
    case "form", "sheet":
      store.send(.binding(.set(\.name, "水曜日 👩‍🌾 café")))
      store.send(.binding(.set(\.size, .large)))
      if element == "form" { return tester(ControlTests.JobForm(store: store)) }
      return tester(
        QueueView(store: store).sheet(isPresented: .constant(true), title: "Add") { ControlTests.JobForm(store: store) }
      )
    case "charts": return tester(Charts())
    default:
      return tester(
        Tabs(selection: .constant(1)) {
          Tab("jobs") { QueueView(store: store) }
          Tab("charts") { Charts() }
          Tab("text") { Texts() }
        })
    }
  }

  struct Texts: TerminalView {
    var body: some TerminalView {
      Column(spacing: 1) {
        Row {
          Text("bold").bold()
          Text("dim").dim()
          Text("red").color(.red)
          Text("reversed").reversed()
          Spacer()
          Text("right")
        }
        Text("A text that is longer than a narrow terminal is broken into lines between its words.")
        Text("centered").aligned(.center)
        Text("A text that is cut off after one line, wherever that ends, with an ellipsis.").lineLimit(1)
        Text("in a frame").border("Frame")
      }
    }
  }

  struct Charts: TerminalView {
    var body: some TerminalView {
      Column {
        Progress(0.4)
        Progress(1, label: "done")
        Sparkline([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9])
        BarChart([("waiting", 12), ("building", 3), ("failed", 0.5)])
      }
    }
  }
}

extension StoreBinding {
  /// A binding that does not change.
  static func constant(_ value: Value) -> Self { Self(get: { value }, set: { _ in }) }
}
