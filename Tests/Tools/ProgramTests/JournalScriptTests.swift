import Foundation
import TestSupport
import Testing

/// The journal of a running hub, found by its socket, and the bounds and order of the log.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct JournalScriptTests {
  /// A hub with a journal and a few turns.
  private func stored(_ options: [String] = []) throws -> HubProcess {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    try hub.start(["--state-dir", hub.directory + "/state"] + options)
    for text in ["bread", "milk", "rye"] {
      try #require(try hub.control("send todos.addButtonTapped \(text)").status == 0)
    }
    return hub
  }

  private func revisions(_ outcome: Program.Outcome) throws -> [Int] {
    try outcome.output.split(separator: "\n").compactMap { try jsonObject(String($0))?["revision"] as? Int }
  }

  @Test func aRunningHubTellsWhereItsJournalIs() throws {
    let hub = try stored()
    #expect(try revisions(try hub.control("log -j")) == [1, 2, 3])
    #expect(try hub.control("state --at 1 todos.todos.count").output == "1\n")
    #expect(try hub.control("blame 'todos.todos[0].text' -j").status == 0)
    #expect(try hub.control("diff 1 2").output.contains("milk"))
    #expect(try hub.control("bisect 'todos.todos.count > 1' -j").output.contains("\"revision\":2"))
    // It is found, but in use.
    #expect(try hub.control("journal verify").errors.contains("is in use by process"))
    #expect(try hub.control("snapshot export").status == 0)
    // Commands that change files are told which.
    let repair = try hub.control("journal repair")
    #expect(repair.status == 2 && repair.errors.contains("needs --state-dir"))
    _ = hub.kill(SIGTERM)
    let none = try hub.control("log")
    #expect(none.status == 2 && none.errors.contains("needs --state-dir or STOREHUB_STATE_DIR"), "\(none.errors)")
    #expect(none.errors.contains("no such file or directory") || none.errors.contains("refused"), "\(none.errors)")
    try hub.start()
    let memory = try hub.control("log")
    #expect(memory.status == 2 && memory.errors.contains("has none, or this user may not read it"))
  }

  @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func onlyThoseWhoMayReadTheFilesAreTold() throws {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    try "[everyone]\nread = all\n".write(toFile: hub.directory + "/hub.conf", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hub.directory)
    try hub.start(
      ["--state-dir", hub.directory + "/state", "--mode", "666", "--config", hub.directory + "/hub.conf"])
    let other = try Program(path: "/usr/bin/setpriv").run(
      "--reuid", "4242", "--regid", "4242", "--clear-groups", Program(name: "storectl").url.path, "--socket",
      hub.socket,
      "log")
    #expect(other.status == 2 && other.errors.contains("or this user may not read it"), "\(other.errors)")
    #expect(!other.errors.contains(hub.directory + "/state"))
  }

  @Test func theLogHasBoundsAndAnOrder() throws {
    let hub = try stored()
    #expect(try revisions(try hub.control("log -j --until 2")) == [1, 2])
    #expect(try revisions(try hub.control("log -j --since 1 --until 2")) == [2])
    #expect(try revisions(try hub.control("log -j --reverse")) == [3, 2, 1])
    #expect(try revisions(try hub.control("log -j -r -n 2")) == [3, 2])
    #expect(try revisions(try hub.control("log -j -r --until 2 -n 1")) == [2])
    #expect(try revisions(try hub.control("log -j --since yesterday --until now")) == [1, 2, 3])
    #expect(try revisions(try hub.control("log -j --since today")) == [1, 2, 3] || Self.isNearMidnight)
    #expect(try revisions(try hub.control("log -j --until 99")) == [1, 2, 3])
    #expect(try revisions(try hub.control("log -j --reverse --path 'todos.todos[1]'")) == [2])
    #expect(try revisions(try hub.control("log -j --path todos.todos.count")) == [1, 2, 3])
    #expect(try hub.control("log --until 2 --since 2").status == 7)
    #expect(try hub.control("log --follow --until 2").status == 2)
    #expect(try hub.control("log --follow --reverse").status == 2)
    #expect(try hub.control("log --until soon").status == 2)
  }

  private static var isNearMidnight: Bool {
    let parts = Calendar.current.dateComponents([.hour, .minute], from: Date())
    return parts.hour == 0 && parts.minute ?? 0 < 5
  }
}
