import Foundation
import TestSupport
import Testing

/// The completions of `storectl` in fish(1), if it is installed.
@Suite(
  .timeLimit(.minutes(30)), .blocking,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "fish(1) is needed"))
struct FishProgramTests {
  private func completions(_ hub: HubProcess, _ line: String) throws -> [String] {
    let script = """
      function storectl; '\(Program(name: "storectl").url.path)' $argv; end
      storectl completions fish | source; or exit 1
      complete -C \(Self.quoted(line))
      """
    let outcome = try Program(path: "/usr/bin/env").run(
      "--default-signal", "STOREHUB_SOCKET=\(hub.socket)", "/usr/bin/fish", "--no-config", "-c", script)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  private static func quoted(_ line: String) -> String {
    "'\(line.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }

  @Test func wordsComeFromTheHub() throws {
    let hub = try HubProcess()
    #expect(try hub.control("send todos.addButtonTapped '\"milk\"'").status == 0)
    #expect(try completions(hub, "storectl compl") == ["completions"])
    #expect(try completions(hub, "storectl --col") == ["--color"])
    #expect(try completions(hub, "storectl --color a") == ["always", "auto"])
    #expect(try completions(hub, "storectl completions ") == ["bash", "fish", "zsh"])
    let path = "storectl --timeout 120s state "
    #expect(try completions(hub, path + "counter.co") == ["counter.count"])
    #expect(try completions(hub, path + "todos.todos[") == ["todos.todos[0]"])
    // The last word may end within quotes.
    #expect(try completions(hub, path + "'todos.todos[") == ["todos.todos[0]"])
    #expect(try completions(hub, path + #""counter.co"#) == ["counter.count"])
    #expect(try completions(hub, "storectl --timeout '120s' state counter.co") == ["counter.count"])
    #expect(try completions(hub, "storectl journal verify --state-dir /bi").contains { $0.hasPrefix("/bin") })
  }
}
