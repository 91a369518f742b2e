import Foundation
import TestSupport
import Testing

/// Clients of other users and groups with a hub that runs as root; the kernel supplies their identities.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct AccessProgramTests {
  /// True if this process may take other identities.
  private static var isRoot: Bool {
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
  }

  private static let needsRoot: Comment =
    "only root can run clients of other users; run the tests as root, with setpriv(1)"

  /// Starts a hub that everyone can reach, so that only its policy restricts access.
  private func hub(_ configuration: String) throws -> HubProcess {
    let hub = try HubProcess(options: ["--mode", "666"], awaitsLog: true)
    _ = hub.kill(SIGTERM)
    try configuration.write(toFile: hub.directory + "/hub.conf", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hub.directory)
    try hub.start(["--mode", "666", "--config", hub.directory + "/hub.conf"])
    return hub
  }

  /// Runs storectl as another user.
  private func run(
    _ hub: HubProcess, as user: Int, groups: [Int] = [], _ arguments: String...
  ) throws -> Program.Outcome {
    let groups = groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")]
    let control = Program(name: "storectl")
    return try Program(path: "/usr/bin/setpriv").run(
      ["--reuid", "\(user)", "--regid", "\(user)"] + groups
        + [control.url.path] + control.patient(["--socket", hub.socket] + arguments))
  }

  @Test(.enabled(if: isRoot, needsRoot)) func usersWithoutAGrantAreRefused() throws {
    let hub = try HubProcess(options: ["--mode", "666"])
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hub.directory)
    let refused = try run(hub, as: 4242, "state", "counter")
    #expect(refused.status == 11 && refused.output.isEmpty)
    #expect(refused.errors.contains("user 4242 may not use this hub"))
    #expect(try run(hub, as: 0, "state", "counter.count").output == "0\n")
    // One log line names the user; further ones are counted.
    #expect(hub.wait { hub.log.contains("user 4242 may not use this hub; its operator can grant it") })
  }

  /// All these connections are in the kernel's queue before the connection of the other user.
  @Test(.enabled(if: isRoot && Python.isInstalled, needsRoot)) func aUserWhoFillsTheQueueKeepsNobodyOut() throws {
    let hub = try hub("[everyone]\nread = all\n[limits]\nconnections-per-user = 100\nhello-timeout = 60s\n")
    let process = try #require(hub.process).processIdentifier
    stopProcess(process)
    let crowd = Process()
    crowd.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    let script = RepositoryFiles.path("Tests/Fixtures/crowd.py")
    // The other user may lack permission to read the script.
    let text = try String(contentsOfFile: script, encoding: .utf8)
    crowd.arguments =
      ["--reuid", "4242", "--regid", "4242", "--clear-groups", try #require(Python.path), "-c", text]
      + [hub.socket, "3000"]
    let (input, output) = (Pipe(), Pipe())
    (crowd.standardInput, crowd.standardOutput) = (input, output)
    try crowd.run()
    defer { crowd.terminate() }
    var printed = ""
    while !printed.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty)
      printed += String(decoding: data, as: UTF8.self)
    }
    #expect(printed == "ready\n")
    #expect(kill(process, SIGCONT) == 0)
    #expect(try run(hub, as: 0, "state", "counter.count").output == "0\n")
    try input.fileHandleForWriting.close()
    #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "2900 100\n")
    #expect(hub.log.contains("a connection of user 4242 was not served: this hub serves 100 connections of one user"))
  }

  @Test(.enabled(if: isRoot, needsRoot)) func rightsAreThoseOfUserAndGroups() throws {
    let hub = try hub(
      """
      [user 4242]
      read = counter
      act = counter.incrementButtonTapped, todos.todos
      [group 4343]
      read = todos
      """)
    #expect(try run(hub, as: 4242, "send", "counter.incrementButtonTapped").status == 0)
    #expect(try run(hub, as: 4242, "state", "counter.count").output == "1\n")
    let action = try run(hub, as: 4242, "send", "counter.decrementButtonTapped")
    #expect(action.status == 11 && action.errors.contains("user 4242 may not send counter.decrementButtonTapped;"))
    let part = try run(hub, as: 4242, "state", "todos")
    #expect(part.status == 11 && part.output.isEmpty && part.errors.contains("user 4242 may not read todos;"))
    #expect(try run(hub, as: 4242, "state").status == 11)
    let clients = try run(hub, as: 4242, "clients")
    #expect(clients.status == 11 && clients.errors.contains("may not read the list of clients and the metrics;"))
    #expect(try run(hub, as: 4242, "state", "--hub").status == 11)
    // What is known is shown.
    let status = try run(hub, as: 4242, "status")
    #expect(status.status == 0 && status.errors.isEmpty, "\(status.errors)")
    #expect(status.output.contains("\nrevision  1\n") && status.output.contains("\nclients   unknown"))
    #expect(status.output.contains("\nmay read  counter\nmay send  counter.incrementButtonTapped, todos.todos\n"))
    let values = try run(hub, as: 4242, "status", "--json").output
    #expect(values.contains(#""clients":null"#), "\(values)")
    #expect(
      values.contains(#""rights":{"read":["counter"],"send":["counter.incrementButtonTapped","todos.todos"]}"#),
      "\(values)")
    #expect(try run(hub, as: 4343, "status").output.contains("\nmay read  todos\nmay send  nothing\n"))
    #expect(try run(hub, as: 0, "status", "--json").output.contains(#""rights":{"read":null,"send":null}"#))
    // The primary group, a supplementary one, and another group.
    #expect(try run(hub, as: 4343, "state", "todos.todos").output == "[]\n")
    #expect(try run(hub, as: 4444, groups: [7, 4343], "state", "todos.todos").output == "[]\n")
    #expect(try run(hub, as: 4444, groups: [7, 434], "state", "todos.todos").status == 11)
    // The rights of a user and of a group add up.
    #expect(try run(hub, as: 4242, groups: [4343], "state", "todos.todos").output == "[]\n")
    #expect(try run(hub, as: 4242, groups: [4343], "state", "favourites").status == 11)
    // Whether an element exists is not asked for those who may not know.
    let element = try run(hub, as: 4242, "send", "-d", "-p", "counter", "todos.todos[9].completionChanged", "true")
    #expect(element.status == 0 && element.output == "nothing changed\n" && element.errors.isEmpty, "\(element)")
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aTerminalShowsThePartsThatAUserMayRead() throws {
    let hub = try hub("[user 4242]\nread = counter, todos, favourites\nact = all\n")
    let terminal = try Tmux(hub, environment: "exec setpriv --reuid 4242 --regid 4242 --clear-groups")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("+")
    #expect(hub.wait { terminal.screen.contains(" 1\n") }, "\(terminal.screen)")
    #expect(terminal.screen.contains("3 favourites") && !terminal.screen.contains("presence"))
  }

  @Test func aConfigurationIsCheckedWithoutAHub() throws {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory + "/a.conf.d", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/a.conf"
    let check = { try Program(name: "storehubd").run("--check-config", "--config", $0) }
    let missing = try check(file)
    #expect(missing.status == 2 && missing.errors == "\(file): cannot be opened: No such file or directory\n")
    #expect(try check("-" + file).status == 0)
    try "[limits]\nscopes = 7\n[everyone]\nread = counter\n".write(toFile: file, atomically: true, encoding: .utf8)
    try "[limits]\nscopes = 8\n".write(toFile: directory + "/a.conf.d/1.conf", atomically: true, encoding: .utf8)
    try "[limits]\nscopes = 9\n".write(toFile: directory + "/a.conf.d/ignored.txt", atomically: true, encoding: .utf8)
    let good = try check(file)
    #expect(good.status == 0)
    #expect(good.output.contains("\nscopes = 8\n") && good.output.contains("[everyone]\nread = counter\nact = none"))
    try "[everyone]\nact = countr\n".write(toFile: directory + "/a.conf.d/2.conf", atomically: true, encoding: .utf8)
    let bad = try check(file)
    #expect(bad.status == 2)
    #expect(bad.errors.hasPrefix("\(directory)/a.conf.d/2.conf:2: 'countr' is not a path of this hub"))
    // A hub refuses to start with this file, and a service manager need not try again.
    let hub = try Program(name: "storehubd").run("--socket", directory + "/hub.sock", "--config", file)
    #expect(hub.status == 2 && hub.errors.contains("2.conf:2:"))
  }
}
