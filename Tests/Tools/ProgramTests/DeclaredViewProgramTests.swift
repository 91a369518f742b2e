import Foundation
import TestSupport
import Testing

/// storectl and a hub whose feature declares views.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct DeclaredViewProgramTests {
  private func storectl(_ hub: HubProcess, _ arguments: String...) throws -> Program.Outcome {
    try Program(name: "storectl").run(["--socket", hub.socket] + arguments)
  }

  @Test func viewsAreReadLikeTheState() throws {
    let hub = try HubProcess()
    for text in ["a", "b"] { #expect(try storectl(hub, "send", "todos.addButtonTapped", text).status == 0) }
    let first = try #require(
      try storectl(hub, "--json", "state", "todos.todos[0..<1]").output.firstMatch(of: /"id":(\d+)/)?.output.1)
    #expect(try storectl(hub, "state", "view:active.count").output == "2\n")
    #expect(try storectl(hub, "send", "todos.todos[\(first)].completionChanged", "true").status == 0)
    #expect(try storectl(hub, "wait", "--timeout", "120s", "view:active.count == 1").status == 0)
    #expect(try storectl(hub, "--json", "state", "view:active[0..<5]").output.contains(#""count":1"#))
    #expect(try storectl(hub, "watch", "-n", "1", "--value-only", "view:active.count").output == "1\n")
    let verified = try storectl(hub, "verify", "view:active")
    #expect(verified.status == 0 && verified.output.contains("same"))
    let schema = try storectl(hub, "schema", "--views").output
    #expect(schema.contains("Views") && schema.contains("active"))
  }

  @Test func mistakesAreNamed() throws {
    let hub = try HubProcess()
    let unknown = try storectl(hub, "state", "view:activ")
    let question = "the feature of this hub declares no view 'activ'; did you mean 'view:active'?"
    #expect(unknown.status == 3 && unknown.errors.contains(question))
    let awaited = try storectl(hub, "wait", "--timeout", "120s", "view:activ.count == 0")
    #expect(awaited.status == 3 && awaited.errors.contains("'activ'; did you mean 'view:active.count'?"))
    let other = try storectl(hub, "state", "view:nothing")
    #expect(other.status == 3 && other.errors.contains("did you mean 'view:active' or 'view:completed'?"))
    let field = try storectl(hub, "state", "view:active[0].txt")
    #expect(field.status == 3 && field.errors.contains("'view:active[0].text'"))
    let none = try storectl(hub, "state", "view:")
    #expect(none.status == 3 && none.errors.contains("names no view"))
  }

  @Test func aRightMayBeAViewAlone() throws {
    let hub = try HubProcess(awaitsLog: true)
    _ = hub.kill(SIGTERM)
    let configuration = "[user \(geteuid())]\nread = view:active\nact = none\n"
    try configuration.write(toFile: hub.directory + "/hub.conf", atomically: true, encoding: .utf8)
    try hub.start(["--config", hub.directory + "/hub.conf"])
    #expect(try storectl(hub, "state", "view:active.count").output == "0\n")
    let refused = try storectl(hub, "state", "todos")
    #expect(refused.status == 11 && refused.errors.contains("may not read todos"))
    #expect(try storectl(hub, "status").output.contains("view:active"))
  }
}
