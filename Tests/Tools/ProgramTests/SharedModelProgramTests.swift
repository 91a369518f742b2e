import Foundation
import TestSupport
import Testing

/// storectl's edits of a shared model, through a hub of such a model.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct SharedModelProgramTests {
  private let control = Program(name: "storectl")

  private func run(_ hub: HubProcess, _ arguments: String...) throws -> Program.Outcome {
    try control.run(["--socket", hub.socket] + arguments)
  }

  /// Runs a command that succeeds, and returns its output without the revision.
  private func done(_ hub: HubProcess, _ arguments: String...) throws -> String {
    let outcome = try control.run(["--socket", hub.socket] + arguments)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome.errors)")
    return outcome.output.replacing(#/ \(revision \d+\)\n$/#, with: "").trimmingCharacters(in: .newlines)
  }

  private func state(_ hub: HubProcess, _ path: String) throws -> String {
    try run(hub, "state", "--json", path).output.trimmingCharacters(in: .newlines)
  }

  @Test func everyKindOfPartIsEdited() throws {
    let hub = try HubProcess("planhub")
    #expect(
      try done(hub, "insert", "syncUps", #"{"id": 3, "title": "Old"}"#)
        == #"insert syncUps[3] at the end: {"id":3,"title":"Old"}"#)
    #expect(try done(hub, "set", "syncUps[3].title", "Design") == #"set syncUps[3].title = "Design""#)
    #expect(try done(hub, "set", "syncUps[3].theme", "orange") == #"set syncUps[3].theme = "orange""#)
    #expect(
      try done(hub, "set", "syncUps[3].theme", #"{"custom": {"red": 1, "green": 2}}"#)
        == #"set syncUps[3].theme = {"custom":{"red":1,"green":2}}"#)
    #expect(try done(hub, "set", "syncUps[3].theme.custom.green", "9") == "set syncUps[3].theme.custom.green = 9")
    #expect(try done(hub, "set", "syncUps[3].lead", "ann") == #"set syncUps[3].lead = "ann""#)
    #expect(try done(hub, "insert", "syncUps[3].attendees", "bob") == #"insert "bob" into syncUps[3].attendees"#)
    #expect(
      try state(hub, "syncUps")
        == """
        [{"id":3,"title":"Design","theme":{"custom":{"red":1,"green":9}},"lead":"ann","attendees":["bob"]}]
        """)
    #expect(try done(hub, "set", "syncUps[3].lead", "null", "--quiet") == "set syncUps[3].lead = null")
    #expect(try state(hub, "syncUps[3].lead") == "null")
    // Only the given fields of a struct.
    #expect(
      try done(hub, "set", "syncUps[3]", #"{"id": 3, "title": "Build"}"#)
        == #"set syncUps[3].id = 3; set syncUps[3].title = "Build""#)
    #expect(try state(hub, "syncUps[3].attendees") == #"["bob"]"#)
    #expect(try done(hub, "set", "votes", "--add", "5") == "add 5 to votes")
    #expect(try done(hub, "set", "votes", "--add=-2") == "add -2 to votes")
    #expect(try state(hub, "votes") == "3")
    #expect(try done(hub, "set", "ages[\"ann\"]", "30") == #"insert ages["ann"] = 30"#)
    #expect(try done(hub, "set", "ages[ann]", "31") == #"insert ages["ann"] = 31"#)
    #expect(try done(hub, "insert", "ages", #"{"bob": 4, "ann": 5}"#) == #"insert ages["ann"] = 5, ages["bob"] = 4"#)
    #expect(try done(hub, "remove", "ages[bob]") == #"remove ages["bob"]"#)
    #expect(try state(hub, "ages") == #"{"ann":5}"#)
    #expect(try done(hub, "insert", "tags", "weekly") == #"insert "weekly" into tags"#)
    #expect(try done(hub, "insert", "tags", "red") == #"insert "red" into tags"#)
    #expect(try done(hub, "remove", "tags", "weekly", "gone") == #"remove "gone", "weekly" from tags"#)
    #expect(try state(hub, "tags") == #"["red"]"#)
    #expect(try done(hub, "insert", "words", "a") == #"append "a" to words"#)
    #expect(try done(hub, "set", "words", #"["x", "y"]"#) == #"set words = ["x","y"]"#)
    #expect(try done(hub, "set", "best", #"{"id": 1}"#) == #"set best = {"id":1}"#)
    #expect(try done(hub, "set", "best.title", "x") == #"set best.title = "x""#)
    #expect(try state(hub, "best.title") == #""x""#)
    #expect(try done(hub, "set", "best", "null") == "set best = null")
    #expect(try run(hub, "verify").status == 0)
    let json = try #require(try jsonObject(try run(hub, "set", "votes", "7", "--json").output))
    #expect(json["applied"] as? Bool == true && json["revision"] as? Int ?? 0 > 20)
    #expect(json["action"] as? NSDictionary == ["votes": [["set": 7]]])
    // The same action by its edits.
    #expect(try run(hub, "send", "votes", #"[{"add": 1}]"#).status == 0)
    #expect(try state(hub, "votes") == "8")
    #expect(try run(hub, "schema", "SharedChange").output.contains("case votes(Change<SharedCounter>)"))
  }

  @Test func elementsHavePlaces() throws {
    let hub = try HubProcess("planhub")
    func ids() throws -> [Int] {
      let list = try JSONSerialization.jsonObject(with: Data(try state(hub, "syncUps").utf8)) as? [[String: Any]]
      return try #require(list).compactMap { $0["id"] as? Int }
    }
    for id in [1, 2, 3] { _ = try done(hub, "insert", "syncUps", #"{"id": \#(id)}"#) }
    #expect(
      try done(hub, "insert", "syncUps", #"{"id": 4}"#, "--at", "start") == #"insert syncUps[4] at the start: {"id":4}"#
    )
    #expect(
      try done(hub, "insert", "syncUps", #"{"id": 5}"#, "--after", "1") == #"insert syncUps[5] after [1]: {"id":5}"#)
    #expect(
      try done(hub, "insert", "syncUps", #"{"id": 6}"#, "--before", "3") == #"insert syncUps[6] after [2]: {"id":6}"#)
    #expect(try ids() == [4, 1, 5, 2, 6, 3])
    #expect(try done(hub, "move", "syncUps[3]", "--at", "start") == "move syncUps[3] to the start")
    #expect(try done(hub, "move", "syncUps[4]", "--at", "end") == "move syncUps[4] to the end")
    #expect(try done(hub, "move", "syncUps[6]", "--after", "1") == "move syncUps[6] after [1]")
    #expect(try done(hub, "move", "syncUps[5]", "--before", "6") == "move syncUps[5] after [1]")
    #expect(try done(hub, "move", "syncUps[2]", "--before", "3") == "move syncUps[2] to the start")
    // Before the one that follows it.
    #expect(try done(hub, "move", "syncUps[2]", "--before", "3") == "move syncUps[2] to the start")
    #expect(try ids() == [2, 3, 1, 5, 6, 4])
    #expect(try done(hub, "remove", "syncUps[1]") == "remove syncUps[1]")
    #expect(try done(hub, "remove", "syncUps", "5", "77") == "remove syncUps[5], syncUps[77]")
    #expect(try ids() == [2, 3, 6, 4])
    for id in ["a \"b\" ] c", "", "e\u{301}", "#7", "h'00'", "\u{202e}"] {
      let json = String(decoding: try JSONEncoder().encode(["id": id]), as: UTF8.self)
      _ = try done(hub, "insert", "notes", json, "--at", "start")
      _ = try done(hub, "set", "notes[\(quoted(id))].text", id)
      #expect(try state(hub, "notes[\(quoted(id))].text").unicodeScalars.count > 1)
    }
    #expect(try state(hub, "notes.count") == "6")
    #expect(
      try done(hub, "move", "notes[\"#7\"]", "--after", "a \"b\" ] c").hasPrefix(
        ##"move notes["#7"] after ["a \"b\" ] c"]"##))
    for id in ["a \"b\" ] c", "\"\"", "é", "\"#7\"", "\"h'00'\"", "\u{202e}"] {
      #expect(try run(hub, "remove", "notes", id).status == 0)
    }
    #expect(try state(hub, "notes") == "[]")
  }

  /// Two texts of the same characters are one id, whatever their bytes; minus zero equals zero.
  @Test func anElementIsFoundByAnEqualIDOfOtherBytes() throws {
    let hub = try HubProcess("planhub")
    func refusal(_ arguments: String...) throws -> String {
      let outcome = try control.run(["--socket", hub.socket] + arguments)
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(arguments): \(outcome)")
      return outcome.errors
    }
    _ = try done(hub, "insert", "notes", #"{"id": "e\u0301", "text": "old"}"#)
    _ = try done(hub, "insert", "notes", #"{"id": "K"}"#)
    _ = try done(hub, "insert", "notes", #"{"id": "last"}"#)
    // Nothing is replaced.
    #expect(
      try refusal("insert", "notes", #"{"id": "\u00e9", "text": "new"}"#)
        == #"""
        storectl: there is notes["e\u{301}"] already, and notes["\u{e9}"] is the same id with other bytes, so that the \#
        new element would replace it; `storectl set` changes it

        """#)
    #expect(try refusal("insert", "notes", #"{"id": "\u212a"}"#).contains(#"there is notes["K"] already, and"#))
    #expect(try refusal("insert", "notes", #"{"id": "K"}"#).contains(#"there is notes["K"] already; `storectl set`"#))
    _ = try done(hub, "insert", "notes", #"{"id": "k\u00e9"}"#)
    #expect(try state(hub, "notes.count") == "4")
    // The element is found by either form, and keeps its id.
    #expect(try done(hub, "set", "notes[\u{e9}].text", "set") == #"set notes["e\#u{301}"].text = "set""#)
    #expect(try done(hub, "move", "notes[\u{e9}]", "--after", "last") == #"move notes["e\#u{301}"] after ["last"]"#)
    #expect(
      try done(hub, "insert", "notes", #"{"id": "x"}"#, "--after", "\u{e9}").hasPrefix(
        #"insert notes["x"] after ["e\#u{301}"]"#))
    #expect(
      try run(hub, "move", "notes[\u{e9}]", "--after", "e\u{301}").errors.contains("cannot be moved after itself"))
    #expect(
      try run(hub, "move", "notes[\u{e9}]", "--before", "e\u{301}").errors.contains("cannot be moved before itself"))
    #expect(try run(hub, "set", "notes[\u{e8}].text", "x").errors.contains("there is no notes"))
    for id in ["\u{e9}", "e\u{301}"] {
      #expect(try state(hub, "notes[\(id)].text") == #""set""#)
      #expect(try run(hub, "verify", "notes[\(id)]").status == 0)
    }
    #expect(try run(hub, "state", "notes[\u{e8}].text").status == 7)
    #expect(try done(hub, "remove", "notes[\u{e9}]") == #"remove notes["e\#u{301}"]"#)
    #expect(try state(hub, "notes.count") == "4")
    // Minus zero, and an id within another one.
    _ = try done(hub, "insert", "marks", #"{"id": -0.0}"#)
    #expect(try refusal("insert", "marks", #"{"id": 0}"#).contains("there is marks[-0.0] already, and marks[0.0] is"))
    _ = try done(hub, "insert", "marks[0].notes", #"{"id": "\u00e9"}"#)
    #expect(try refusal("insert", "marks[0].notes", #"{"id": "e\u0301"}"#).contains("already"))
    #expect(
      try done(hub, "set", "marks[0].notes[e\u{301}].text", "in")
        == #"set marks[-0.0].notes["\#u{e9}"].text = "in""#)
    // Within a value of a dictionary, to which no client can subscribe.
    _ = try done(hub, "set", "groups[a]", "[]")
    _ = try done(hub, "insert", "groups[a]", #"{"id": "\u00e9", "text": "old"}"#)
    #expect(
      try refusal("insert", "groups[a]", #"{"id": "e\u0301", "text": "new"}"#).contains(
        #"there is groups[a]["\u{e9}"] already, and groups[a]["e\u{301}"] is the same id"#))
    #expect(try refusal("insert", "groups[a]", #"{"id": "\u00e9"}"#).contains(#"is groups[a]["\#u{e9}"] already;"#))
    #expect(try done(hub, "set", "groups[a][\"e\u{301}\"].text", "in").contains("text = \"in\""))
    #expect(try state(hub, "groups") == #"{"a":[{"id":"\#u{e9}","text":"in"}]}"#)
    #expect(try run(hub, "verify").status == 0)
  }

  private func quoted(_ id: String) -> String {
    "\"\(id.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  @Test func mistakesAndHostileValuesHaveAStatusAndAReason() throws {
    let hub = try HubProcess("planhub")
    _ = try done(hub, "insert", "syncUps", #"{"id": 3}"#)
    let long = String(repeating: "x", count: 60_000)
    let deep = String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)
    let mistakes: [([String], Int32, String)] = [
      (["set", "syncUps[4].title", "x"], 7, "there is no syncUps[4].title"),
      (["set", "best.title", "x"], 7, "there is no best.title"),
      (["remove", "syncUps[4]"], 7, "there is no syncUps[4]"),
      (["move", "syncUps[4]", "--at", "end"], 7, "there is no syncUps[4]"),
      (["move", "syncUps[3]", "--after", "9"], 7, "there is no syncUps[9]"),
      (["insert", "syncUps", #"{"id": 4}"#, "--before", "9"], 7, "there is no syncUps[9]"),
      (["insert", "syncUps", #"{"id": 3}"#], 1, "there is syncUps[3] already"),
      (["insert", "syncUps", #"{"title": "x"}"#], 3, "the field 'id' of SyncUp is missing"),
      (["set", "syncUps[3].id", "4"], 1, "the change would give an element another id"),
      (["set", "votes", "--add", "9223372036854775808"], 1, "the number does not fit SharedCounter"),
      (["insert", "syncUps", "x"], 3, "storectl: expected an object with the fields of SyncUp, not"),
      (["insert", "best", "x"], 3, "'best' is no collection"),
      (["insert", "syncUps", #"{"id": 4, "id": 5}"#], 3, "this is not JSON"),
      (["insert", "syncUps", #"{"id": 4}"#, "--after", "3", "--at", "end"], 2, "one of --at, --after and --before"),
      (["insert", "syncUps", #"{"id": 4}"#, "--at", "top"], 2, "--at needs start or end"),
      (["insert", "words", "x", "--at", "start"], 2, "'words' has no places"),
      (["insert", "weight", "1"], 3, "'weight' is no collection"),
      (["move", "syncUps[3]"], 2, "one of --at, --after and --before"),
      (["move", "syncUps[3]", "--after", "3"], 2, "cannot be moved after itself"),
      (["move", "ages[x]", "--at", "end"], 3, "'ages' has no order"),
      (["remove", "syncUps[3].title"], 3, "no element with an id or a key"),
      (["remove", "weight", "3"], 3, "no collection with ids"),
      (["set", "words[0]", "x"], 3, "can only be set as a whole"),
      (["set", "words.count", "3"], 3, "can only be set as a whole"),
      (["set", ".", "{}"], 3, "the state is changed part by part: syncUps, notes, votes"),
      (["set", "syncUps[3].titel", "x"], 3, "did you mean 'syncUps[3].title'?"),
      (["set", "weight", "1e999"], 3, "does not fit Double"),
      (["set", "weight", "x"], 3, "expected a value of type Double"),
      (["set", "weight", "--add", "1"], 3, "'weight' is no counter"),
      (["set", "scores[ann]", "5"], 2, "is a counter"),
      (["set", "scores[ann]", "--add", "5"], 7, "there is no scores[ann]; `storectl insert` creates a counter"),
      (["remove", "ages[ann]"], 7, "there is no ages[ann]"),
      (
        ["insert", "notes", #"{"id": "\#(long)"}"#], 1,
        "not sent, because no client could attach the new element by its id"
      ),
      (
        ["insert", "notes", #"{"id": "a"}"#, "--after", "\"\(long)\""], 1, "bytes, and hubs take 4096: use shorter ids"
      ),
      (["set", "notes[\"\(long)\"].text", "x"], 1, "bytes, and hubs take 4096: use shorter ids"),
      (["remove", "notes[\"\(long)\"]"], 1, "bytes, and hubs take 4096: use shorter ids"),
      (["state", "notes[\"\(long)\"]"], 1, "bytes, and hubs take 4096: use shorter ids"),
      (["watch", "notes[\"\(long)\"]"], 1, "bytes, and hubs take 4096: use shorter ids"),
      (["wait", "notes[\"\(long)\"].text == \"\""], 1, "bytes, and hubs take 4096: use shorter ids"),
      (["insert", "syncUps[99].attendees", "x"], 7, "there is no syncUps[99].attendees"),
      (["insert", "best.attendees", "x"], 7, "there is no best"),
      (["set", "votes", "--add", "1.5"], 3, "expected a value of type Int128"),
      (["set", "votes", "9223372036854775808"], 3, "does not fit"),
      (["set", "limits[NaN]", "x"], 1, "a key that is equal to itself"),
      (["set", "weight", "-inf"], 2, "storectl: unknown option -inf; if it is an argument, write -- before it"),
      (["set", "weight", "--", "-inf"], 3, #"not the string "-inf"; did you mean '-Infinity'?"#),
      (["set", "weight", "nan"], 3, #"not the string "nan"; did you mean 'NaN'?"#),
      (["set", "words", deep], 3, "maximum parsing depth"),
      (["set", "tags", #"["a", "a"]"#], 3, "a member of the set stands there twice"),
      (["set", "syncUps", #"[{"id": 1}, {"id": 1}]"#], 3, "[1]: this element has the id of an earlier one"),
      (["send", "tags", #"[{"insert": ["a", "a"]}]"#], 3, "a key or a member stands there twice"),
      (["send", "votes", #"{"cbor": "a10061"}"#], 3, "expected the edits of a change"),
      (["send", "votes", #"{"cbor": "a10160"}"#], 3, "this is no change of a SharedCounter"),
    ]
    for (words, status, reason) in mistakes {
      let outcome = try control.run(["--socket", hub.socket] + words)
      #expect(outcome.status == status && outcome.errors.contains(reason), "\(words): \(outcome)")
    }
    #expect(try run(hub, "status", "--json").output.contains(#""revision":1,"#))
    // A counter that exists.
    _ = try done(hub, "insert", "scores[ann]", "5")
    #expect(try done(hub, "set", "scores[ann]", "--add", "2") == #"add 2 to scores["ann"]"#)
    #expect(try state(hub, "scores") == #"{"ann":7}"#)
    #expect(try done(hub, "set", "weight", "NaN") == #"set weight = "NaN""#)
    #expect(try done(hub, "set", "weight", "-1e308") == "set weight = -1e+308")
    #expect(try done(hub, "set", "limits[0]", "zero") == #"insert limits[0.0] = "zero""#)
    #expect(try run(hub, "verify").status == 0)
  }

  @Test func theToolsShowChangesInWords() throws {
    let hub = try HubProcess("planhub")
    _ = hub.kill(SIGTERM)
    let directory = hub.directory + "/state"
    try hub.start(["--state-dir", directory])
    _ = try done(hub, "insert", "syncUps", #"{"id": 3}"#)
    _ = try done(hub, "set", "syncUps[3].title", "x\u{1b}[2J")
    _ = try done(hub, "send", "syncUps", #"[{"at": "[3].lead", "set": "ann"}, {"move": 3, "to": "end"}]"#)
    let blame = try run(hub, "blame", "syncUps[3].title").output
    #expect(blame.contains("\nset syncUps[3].title = \"x\\u001b[2J\"\n"), "\(blame)")
    let log = try run(hub, "log").output
    #expect(log.contains("\ninsert syncUps[3] at the end: {\"id\":3}\n"), "\(log)")
    #expect(log.contains("\nmove syncUps[3] to the end; set syncUps[3].lead = \"ann\"\n"), "\(log)")
    let last = try #require(try jsonObject(try run(hub, "log", "--json", "--count", "1").output))
    let action = try #require((last["actions"] as? [[String: Any]])?.first)
    #expect(action["name"] as? String == "syncUps")
    #expect(
      action["action"] as? NSDictionary
        == ["syncUps": [["move": 3, "to": "end"], ["at": "[3].lead", "set": "ann"]] as [[String: Any]]])
    #expect(try run(hub, "__complete", "set", "syncUps[3].ti").output.isEmpty)
    #expect(
      try control.run(["__complete", "--timeout", "120s", "--socket", hub.socket, "set", "syncUps[3].ti"]).output
        == "syncUps[3].title \n")
    #expect(
      try control.run(["__complete", "--timeout", "120s", "--socket", hub.socket, "remove", "syncUps["]).output
        == "syncUps[3]\n")
    #expect(
      try control.run(["__complete", "--timeout", "120s", "--socket", hub.socket, "move", "x", "--at", ""]).output
        == "start \nend \n")
  }

  /// Two tools edit at the same time, while the hub is killed and started again: what was confirmed is there once.
  @Test func twoToolsAndKillsLoseNothing() throws {
    let hub = try HubProcess("planhub")
    _ = hub.kill(SIGTERM)
    let options = ["--state-dir", hub.directory + "/state", "--durability", "sync"]
    try hub.start(options)
    let script = """
      id=$1 done=0 added=0
      while [ $id -lt $(($1 + 40)) ]; do
        # While the hub is away, nothing can be confirmed.
        until "$0" --socket "$2" --timeout 120s status >/dev/null 2>&1; do sleep 0.05; done
        "$0" --socket "$2" insert syncUps "{\\"id\\": $id, \\"title\\": \\"$1\\"}" >/dev/null 2>&1 && echo "id $id"
        "$0" --socket "$2" set votes --add 1 >/dev/null 2>&1 && echo vote
        "$0" --socket "$2" move "syncUps[$id]" --at start >/dev/null 2>&1
        id=$((id + 1))
      done
      """
    let tools = try [1000, 2000].map { first -> (Process, Pipe) in
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", script, control.url.path, "\(first)", hub.socket]
      process.standardOutput = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      return (process, output)
    }
    for count in 1...3 {
      // Each kill hits both at work.
      try #require(hub.wait { (try? Int(state(hub, "votes"))) ?? 0 >= 5 * count })
      _ = hub.kill(SIGKILL)
      try hub.start(options)
    }
    let lines = tools.map { process, output in
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text.split(separator: "\n").map(String.init)
    }
    let confirmed = lines.joined().compactMap { $0.hasPrefix("id ") ? Int($0.dropFirst(3)) : nil }
    let list = try JSONSerialization.jsonObject(with: Data(try state(hub, "syncUps").utf8)) as? [[String: Any]]
    let ids = try #require(list).compactMap { $0["id"] as? Int }
    #expect(Set(ids).count == ids.count && Set(confirmed).isSubset(of: ids), "\(confirmed) \(ids)")
    #expect(ids.count <= 80 && confirmed.count > 40)
    let votes = try #require(Int(try state(hub, "votes")))
    #expect(votes >= lines.joined().count { $0 == "vote" } && votes <= 80)
    #expect(try run(hub, "verify").status == 0)
  }
}
