import Foundation
import TestSupport
import Testing

/// `storectl inspect` over its sockets, and in a browser if one is installed.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct InspectProgramTests {
  /// A running inspector.
  private final class Inspector {
    let process: Process
    private let log: String
    private(set) var key = ""

    init(_ hub: HubProcess, _ options: String...) throws {
      log = hub.directory + "/inspect-\(UUID().uuidString.prefix(4))"
      _ = FileManager.default.createFile(atPath: log, contents: nil)
      process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        ["--default-signal", Program(name: "storectl").url.path, "--socket", hub.socket, "inspect"] + options
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle(forWritingAtPath: log)
      process.standardError = FileHandle(forWritingAtPath: log)
      try process.run()
      try #require(hub.wait { !links.isEmpty }, "\(output)")
    }

    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// The printed links.
    var links: [String] {
      output.split { $0.isWhitespace || $0 == "\"" }.map(String.init).filter {
        $0.hasPrefix("http://") && $0.contains("/#")
      }
    }

    var token: String { links.last?.split(separator: "#").last.map(String.init) ?? "" }

    var port: UInt16 {
      let host = links[0].dropFirst("http://".count).prefix { $0 != "/" }
      return host.split(separator: ":").dropFirst().first.flatMap { UInt16($0) } ?? 0
    }

    var http: LocalHTTP { LocalHTTP(address: .port(port)) }

    /// Uses the link, as the page does.
    func open() throws {
      let answer = try #require(http.request("GET", "/api/open", ["Authorization: Bearer \(token)"]))
      key = try #require(try answer.json()["session"] as? String)
    }

    func get(_ target: String) throws -> [String: Any] {
      let answer = try #require(http.request("GET", target, ["Authorization: Bearer \(key)"]))
      return try answer.json()
    }

    func tree(_ open: String, at revision: Int? = nil) throws -> [[String: Any]] {
      let open = open.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let found = try get("/api/tree?open=\(open)" + (revision.map { "&at=\($0)" } ?? ""))
      return (found["nodes"] as? [Any] ?? []).map { $0 as? [String: Any] ?? [:] }
    }

    /// The text of a row.
    func text(_ open: String, _ name: String, at revision: Int? = nil) throws -> String? {
      let rows = try tree("[[\(open),0]]", at: revision).first?["rows"] as? [[String: Any]] ?? []
      return rows.first { $0["name"] as? String == name }?["text"] as? String
    }

    func status(after signal: Int32? = nil) -> Int32 {
      if let signal { kill(process.processIdentifier, signal) }
      process.waitUntilExit()
      return process.terminationStatus
    }

    deinit { if process.isRunning { process.terminate() } }
  }

  private func send(_ hub: HubProcess, _ words: String...) throws {
    #expect(try Program(name: "storectl").run(["--socket", hub.socket, "send"] + words).status == 0)
  }

  /// A hub with a journal.
  private func journalled() throws -> HubProcess {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    try hub.start(["--state-dir", hub.directory + "/state"])
    return hub
  }

  @Test func viewsAreRowsOfTheTree() throws {
    let hub = try HubProcess()
    try send(hub, "todos.addButtonTapped", "milk")
    let inspector = try Inspector(hub)
    try inspector.open()
    #expect(hub.wait { (try? inspector.text("[]", "view:active")) == "" })
    // It is attached by the request that asks for it.
    #expect(hub.wait { (try? inspector.text(#"["view:active","[0]"]"#, "text")) == #""milk""# })
    let whole = try inspector.get("/api/value?place=%5B%22view%3Aactive%22%5D")
    #expect(whole["text"] as? String == #"[{"id":0,"text":"milk","isComplete":false}]"#)
    let located = try inspector.get("/api/locate?path=view%3Aactive%5B0%5D.text")
    #expect((located["open"] as? [Any])?.count == 4)
    try send(hub, "todos.todos[0].completionChanged", "true")
    #expect(hub.wait { (try? inspector.tree(#"[[["view:active"],0]]"#).first?["count"] as? Int) == 0 })
    #expect(try inspector.tree(#"[[["view:nothing"],0]]"#).first?.isEmpty == true)
  }

  @Test func theStateIsServedToWhoHasTheLink() throws {
    let hub = try HubProcess()
    try send(hub, "todos.addButtonTapped", "<b>oat</b> milk")
    let inspector = try Inspector(hub)
    // Without a session, even the token of the link gives no access to the state.
    for headers in [[], ["Authorization: Bearer \(inspector.token)"], ["Cookie: session=\(inspector.token)"]] {
      for path in ["poll", "tree", "value", "turns", "schema", "nothing"] {
        #expect(inspector.http.request("GET", "/api/\(path)", headers)?.status == 401, "\(path)")
      }
    }
    let token = inspector.token
    try inspector.open()
    #expect(inspector.http.request("GET", "/api/open", ["Authorization: Bearer \(token)"])?.status == 401)
    #expect(hub.wait { inspector.links.count == 2 })
    #expect(hub.wait { (try? inspector.text("[]", "todos")) == "todos: 1 element, nextID: 1" })
    #expect(try inspector.text(#"["todos","todos"]"#, "[0]") == #"id: 0, text: "<b>oat</b> milk", isComplete: false"#)
    let whole = try inspector.get("/api/value?place=%5B%22todos%22%2C%22todos%22%5D")
    #expect(whole["text"] as? String == #"[{"id":0,"text":"<b>oat</b> milk","isComplete":false}]"#)
    let located = try inspector.get("/api/locate?path=todos.todos%5B0%5D")
    #expect((located["open"] as? [Any])?.count == 4)
    #expect(try inspector.get("/api/locate?path=todo")["error"] as? String == "nothing is at 'todo'")
    // Live: a poll waits for news.
    let news = try inspector.get("/api/poll?after=0")
    #expect(((news["hub"] as? [String: Any])?["schema"] as? String)?.count == 64)
    let version = try #require(news["version"] as? Int)
    try send(hub, "counter.incrementButtonTapped")
    #expect(try #require(try inspector.get("/api/poll?after=\(version)")["version"] as? Int) > version)
    #expect(hub.wait { (try? inspector.text(#"["counter"]"#, "count")) == "1" })
    // Ctrl-C ends it, also while a poll waits.
    let last = try #require(try inspector.get("/api/poll?after=0")["version"] as? Int)
    let (http, key) = (inspector.http, inspector.key)
    let waiting = Thread { _ = http.request("GET", "/api/poll?after=\(last + 1000)", ["Authorization: Bearer \(key)"]) }
    waiting.start()
    // The end must be the same before and after the request has arrived, so this time is not critical.
    usleep(200_000)
    #expect(inspector.status(after: SIGINT) == 130)
    #expect(inspector.http.request("GET", "/") == nil)
  }

  @Test func onlyBrowsersOfThisMachineAreServed() throws {
    let hub = try HubProcess()
    let inspector = try Inspector(hub)
    let http = inspector.http
    let page = try #require(http.request("GET", "/"))
    #expect(page.status == 200 && page.text.contains("<title>StoreHub inspector</title>"))
    #expect(page.head.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
    #expect(page.head.contains("frame-ancestors 'none'") && page.head.contains("X-Content-Type-Options: nosniff"))
    #expect(!page.text.contains("http:") && !page.text.contains("https:"))
    for file in ["/inspector.js", "/metrics.js", "/inspector.css", "/icon.svg"] {
      #expect(http.request("GET", file)?.status == 200, "\(file)")
    }
    #expect(http.request("GET", "/inspector.html")?.status == 404)
    #expect(http.request("GET", "/../etc/passwd")?.status == 404)
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] { #expect(http.request(method, "/api/open")?.status == 405) }
    // A site whose name resolves to this machine, and requests from other sites.
    #expect(http.request("GET", "/", host: "evil.example")?.status == 403)
    #expect(http.request("GET", "/", host: "evil.example:\(inspector.port)")?.status == 403)
    #expect(http.request("GET", "/", host: nil).map { $0.status >= 400 } ?? true)
    let link = "Authorization: Bearer \(inspector.token)"
    #expect(http.request("GET", "/api/open", [link, "Origin: http://evil.example"])?.status == 403)
    #expect(http.request("GET", "/api/open", [link, "Sec-Fetch-Site: cross-site"])?.status == 403)
    #expect(http.request("GET", "/api/open", [link], host: "evil.example")?.status == 403)
    // Also for the page and its files, and from other ports of this machine; but not if the user has typed the address.
    for path in ["/", "/inspector.js", "/inspector.css", "/icon.svg", "/api/open", "/nowhere"] {
      for site in ["cross-site", "same-site", "unknown"] {
        let answer = http.request("GET", path, [link, "Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate"])
        #expect(answer?.status == 403 && answer?.text.contains("paste the link") == true, "\(path) \(site)")
      }
      let isPage = path != "/api/open" && path != "/nowhere"
      #expect(http.request("GET", path, ["Sec-Fetch-Site: same-origin"])?.status != 403, "\(path)")
      #expect((http.request("GET", path, ["Sec-Fetch-Site: none"])?.status == 200) == isPage, "\(path)")
    }
    #expect(http.request("GET", "/api/open", [link, "Sec-Fetch-Site: none"])?.status == 403)
    for origin in ["null", "http://localhost:1", "https://localhost"] {
      #expect(http.request("GET", "/", ["Origin: \(origin)"])?.status == 403, "\(origin)")
    }
    // None of these requests has used the link.
    try inspector.open()
    // A request that is too long does no harm.
    let long = String(repeating: "x", count: 200_000)
    _ = http.request("GET", "/api/tree?open=\(long)", ["Authorization: Bearer \(inspector.key)"])
    #expect(try inspector.get("/api/tree?open=x")["error"] as? String == "open must be a list of places")
    #expect(inspector.status(after: SIGTERM) == 143)
  }

  @Test func silentConnectionsDoNotBlockThePage() throws {
    let hub = try HubProcess()
    let inspector = try Inspector(hub)
    try inspector.open()
    let silent = (0..<128).map { _ in inspector.http.connect() }
    defer { for descriptor in silent { close(descriptor) } }
    #expect(try inspector.get("/api/poll?after=0")["version"] != nil)
    #expect(inspector.status(after: SIGINT) == 130)
  }

  @Test func theJournalIsGoneThrough() throws {
    let hub = try journalled()
    for text in ["a", "b", "c"] { try send(hub, "todos.addButtonTapped", text) }
    try send(hub, "counter.incrementButtonTapped")
    let inspector = try Inspector(hub, "--state-dir", hub.directory + "/state")
    try inspector.open()
    let found = try inspector.get("/api/turns?count=3")
    let turns = try #require(found["turns"] as? [[String: Any]])
    #expect(turns.map { $0["revision"] as? Int } == [4, 3, 2])
    let actions = try #require(turns[1]["actions"] as? [[String: Any]])
    #expect(actions[0]["name"] as? String == "todos.addButtonTapped" && actions[0]["values"] as? String == #""c""#)
    #expect(actions[0]["client"] as? String == "storectl send")
    let older = try inspector.get("/api/turns?before=\(try #require(found["next"] as? Int))")
    #expect((older["turns"] as? [[String: Any]])?.map { $0["revision"] as? Int } == [1])
    #expect(older["isEnd"] as? Bool == true)
    let filtered = try inspector.get("/api/turns?filter=INCREMENT")
    #expect((filtered["turns"] as? [[String: Any]])?.count == 1)
    // All words must occur, and none of the excluded ones.
    for (filter, revisions) in [
      ("-todos", [4]), ("-INCREMENT -%22%22", [3, 2, 1]), ("todos increment", []), ("add -", [3, 2, 1]),
      ("%22storectl send%22", [4, 3, 2, 1]), ("-%22storectl send%22", []),
    ] {
      let found = try inspector.get("/api/turns?filter=\(filter.replacingOccurrences(of: " ", with: "%20"))")
      #expect((found["turns"] as? [[String: Any]])?.map { $0["revision"] as? Int } == revisions, "\(filter)")
    }
    // The changes of an action, and the state after it.
    let position = try #require(turns[1]["position"] as? Int)
    let turn = try inspector.get("/api/turn?position=\(position)")
    let changes = try #require((turn["changes"] as? [String: Any])?["shown"] as? [[String: Any]])
    #expect(changes.map { $0["path"] as? String } == ["todos.todos[2]", "todos.nextID"])
    #expect(try inspector.text(#"["todos"]"#, "todos", at: 1) == "1 element")
    #expect(try inspector.text(#"["todos"]"#, "todos", at: 3) == "3 elements")
    #expect(try inspector.text(#"["todos"]"#, "todos", at: 2) == "2 elements")
    let difference = try inspector.get("/api/diff?from=1&to=4")
    #expect((difference["changes"] as? [String: Any])?["count"] as? Int == 4)
    // Steps back and forth; turns without an action are skipped.
    #expect(try inspector.get("/api/turn?position=\(position)&step=-1")["revision"] as? Int == 2)
    #expect(try inspector.get("/api/turn?position=100000&step=-1")["error"] != nil)
    #expect(
      try inspector.get("/api/at?revision=9")["error"] as? String == "there is no revision 9 yet: the last one is 4")
    for wrong in ["turn?position=x", "diff?from=1", "tree?open=[]&at=x"] {
      #expect(try inspector.get("/api/\(wrong)")["error"] != nil, "\(wrong)")
    }
    // The hub stores another action while the page is open.
    try send(hub, "counter.incrementButtonTapped")
    #expect(
      hub.wait { ((try? inspector.get("/api/poll?after=0"))?["journal"] as? [String: Any])?["revision"] as? Int == 5 })
  }

  @Test func theHubMayGoAndComeBack() throws {
    let hub = try journalled()
    try send(hub, "counter.incrementButtonTapped")
    let inspector = try Inspector(hub, "--state-dir", hub.directory + "/state", "--json")
    try inspector.open()
    func status() -> String? {
      ((try? inspector.get("/api/poll?after=0"))?["hub"] as? [String: Any])?["status"] as? String
    }
    #expect(inspector.output.hasPrefix(#"{"event":"link","link":"http://127.0.0.1:"#))
    #expect(hub.wait { (try? inspector.text(#"["counter"]"#, "count")) == "1" })
    #expect(status() == "live")
    #expect(hub.kill(SIGKILL) == SIGKILL)
    #expect(hub.wait { status() == "away" })
    // The last state remains.
    #expect(try inspector.text(#"["counter"]"#, "count") == "1")
    try hub.start(["--state-dir", hub.directory + "/state"])
    try send(hub, "counter.incrementButtonTapped")
    #expect(hub.wait { status() == "live" })
    #expect(hub.wait { (try? inspector.text(#"["counter"]"#, "count")) == "2" })
    // Without a hub, the journal is still shown.
    #expect(inspector.status(after: SIGINT) == 130)
    #expect(hub.kill(SIGTERM) == 0)
    let alone = try Inspector(hub, "--state-dir", hub.directory + "/state")
    try alone.open()
    #expect(try alone.text(#"["counter"]"#, "count") == "2")
    #expect(try alone.text(#"["counter"]"#, "count", at: 1) == "1")
  }

  @Test func withoutAJournalTheChangesAreShown() throws {
    let hub = try HubProcess()
    let inspector = try Inspector(hub)
    try inspector.open()
    #expect(hub.wait { (try? inspector.text("[]", "counter")) != nil })
    #expect(
      try inspector.get("/api/turns")["error"] as? String
        == "start storectl inspect with --state-dir to see the journal")
    // The first comparison needs a previous state.
    func changes() -> [[String: Any]] {
      (try? inspector.get("/api/changes?after=0"))?["changes"] as? [[String: Any]] ?? []
    }
    #expect(
      hub.wait {
        try? send(hub, "counter.incrementButtonTapped")
        return !changes().isEmpty
      })
    let shown = (changes().first?["changes"] as? [String: Any])?["shown"] as? [[String: Any]]
    #expect(shown?.first?["path"] as? String == "counter.count")
  }

  @Test func aUnixSocketIsForItsOwner() throws {
    let hub = try HubProcess()
    let path = hub.directory + "/inspect.sock"
    let inspector = try Inspector(hub, "--listen", path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let http = LocalHTTP(address: .path(path))
    #expect(http.request("GET", "/")?.status == 200)
    #expect(http.request("GET", "/api/open", ["Authorization: Bearer \(inspector.token)"])?.status == 200)
    #expect(inspector.status(after: SIGINT) == 130)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func whatCannotBeServedIsSaid() throws {
    let storectl = Program(name: "storectl")
    let nowhere = try storectl.run("--socket", NSTemporaryDirectory() + "nowhere.sock", "inspect")
    #expect(nowhere.status == 4 && nowhere.errors.contains("Is a hub running there?"))
    let folder = try storectl.run("--socket", NSTemporaryDirectory(), "inspect")
    #expect(folder.status == 4 && folder.errors.contains("It is not a socket."), "\(folder)")
    let wrong = try storectl.run("inspect", "--listen", "0.0.0.0:80")
    #expect(wrong.status == 2 && wrong.errors.contains("--listen needs"))
    let hub = try HubProcess()
    let inspector = try Inspector(hub)
    let taken = try storectl.run("--socket", hub.socket, "inspect", "--listen", "\(inspector.port)")
    #expect(taken.status == 1 && taken.errors.contains("address already in use"))
    let none = try storectl.run("--socket", hub.socket, "inspect", "--state-dir", hub.directory + "/none")
    #expect(none.status == 1 && none.errors.contains("there is no journal"))
  }

  private static let hasBrowser =
    Python.isInstalled
    && ["chromium", "chromium-browser", "google-chrome"].contains {
      FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

  @Test(.enabled(if: hasBrowser, "chromium(1) and python3(1) are needed")) func thePageWorksInABrowser() throws {
    _ = try Python.run(
      "Fixtures/browser/inspect.py", [Program(name: "storectl").url.deletingLastPathComponent().path])
  }
}
