internal import Glibc
internal import JSONParser
internal import JSONText
internal import Journal
internal import ProgramOptions
internal import Spelling
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let fork = Self(
    "fork", "start a hub on a copy of the journal up to a revision", arguments: [.init("REV|TIME")],
    options: [
      .directory,
      .init("into", argument: "DIR", "the copy's directory; default: a new one in $TMPDIR", value: .file),
      .init(
        "hub-program", argument: "PROGRAM",
        "the hub's program, which takes --socket and --state-dir; default storehubd",
        value: .file),
    ],
    details: [
      .text(
        """
        The new hub listens on --socket, runs in the foreground, and is independent of the first one. Use it to try \
        alternatives from an earlier state.
        """),
      .code(["storectl fork 1200 --state-dir /var/lib/storehub --socket /tmp/sandbox.sock"]),
    ])

  nonisolated static let snapshot = Self(
    "snapshot", "write the state to a file, or start a journal with one",
    arguments: [.init("ACTION", value: .words(["export", "import"])), .init("FILE", .atMostOnce, value: .file)],
    options: [
      .directory,
      .init("at", argument: "REV|TIME", "the state at this point; default now", if: .argument("export")),
    ],
    details: [
      .text(
        """
        export writes one JSON object to FILE, which must not exist, or to standard output; the schema and the state in \
        it are their CBOR bytes as hexadecimal digits. import creates a journal in --state-dir, where there must be none, \
        from which a hub of the same feature can start. A FILE - is standard output or input.
        """)
    ])
}

extension Tool {
  /// Runs `fork REV --socket NEW`: replaces this process with a hub on a copy of the journal.
  func fork() async throws(ToolFailure) {
    let reader = try await openJournal()
    guard options.string("socket") != nil else {
      throw ToolFailure(.usage, "fork needs --socket, the path of the new hub's socket")
    }
    let program = options.string("hub-program") ?? hubProgram()
    try checkIsExecutable(program)
    try await checkSocketIsFree()
    let states = try await states(at: options.arguments[0], in: reader)
    let revision = states.revision
    let (into, source) = (options.string("into"), try await stateDirectory())
    let directory: String = if let into { into } else { try temporaryDirectory() }
    do throws(ToolFailure) {
      try await onAnotherThread { () throws(LogError) in
        try JournalReader(source).copy(to: directory)
        for copy in try JournalTool.repair(directory, to: revision)?.copies ?? [] { unlink(copy) }
      }
      try checkInterruption()
    } catch {
      if into == nil { removeCopy(directory) }
      throw error
    }
    if isJSON {
      print(["revision": .integer(revision), "directory": .string(directory), "socket": .string(path)])
    } else if !options.flag("quiet") {
      let kept = into == nil ? ", which is yours to remove" : ""
      printError("storectl: revision \(revision) is in \(directory)\(kept); starting \(program) at \(path)")
    }
    let words = [program, "--socket", path, "--state-dir", directory]
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execvp(program, &pointers)
    let code = errno
    if into == nil { removeCopy(directory) }
    throw cannotStart(program, code)
  }

  /// Checks that the hub can be started, before the journal is copied for it.
  private func checkIsExecutable(_ program: String) throws(ToolFailure) {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let directories = path.split(separator: ":", omittingEmptySubsequences: false)
    let files = program.contains("/") ? [program] : directories.map { $0.isEmpty ? program : "\($0)/\(program)" }
    var code = ENOENT
    for file in files {
      if access(file, X_OK) == 0 { return }
      if errno != ENOENT { code = errno }
    }
    throw cannotStart(program, code)
  }

  private func cannotStart(_ program: String, _ code: CInt) -> ToolFailure {
    let reason = String(cString: strerror(code))
    return ToolFailure(.failed, "cannot start \(program): \(reason); name the hub's program with --hub-program")
  }

  /// Checks that no hub listens on the socket, also one that refuses this user or does not answer, because the second
  /// hub would refuse to start after the journal was copied.
  private func checkSocketIsFree() async throws(ToolFailure) {
    do throws(ToolFailure) { _ = try await connect() } catch {
      guard access(path, W_OK) == 0 || errno != EACCES else {
        throw ToolFailure(.failed, "this user has no permission for \(path); name another --socket for the new hub")
      }
      if error.status == .unreachable { return }
      try checkInterruption()
    }
    throw ToolFailure(.usage, "a hub listens on \(path) already; name another --socket for the new one")
  }

  /// Returns the storehubd beside this program, or the one in PATH.
  private func hubProgram() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let beside =
      own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/storehubd"
    return access(beside, X_OK) == 0 ? beside : "storehubd"
  }

  /// Removes a copy of a journal in a directory that `temporaryDirectory` made.
  private func removeCopy(_ directory: String) {
    for name in ["journal.db", "journal.db-wal", "journal.db-shm", "journal.tail", "journal.lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }

  private func temporaryDirectory() throws(ToolFailure) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/storehub-fork-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolFailure(.failed, "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func snapshot() async throws(ToolFailure) {
    switch options.arguments.first {
    case "export": try await exportSnapshot()
    case "import": try importSnapshot()
    case let word: throw wrongWord(word, ["export", "import"])
    }
  }

  private func exportSnapshot() async throws(ToolFailure) {
    let reader = try await openJournal()
    let states = try await states(at: options.string("at") ?? "now", in: reader)
    let json: JSONValue = [
      "format": "storehub-snapshot-1", "revision": .integer(states.revision), "time": .string(Moment.json(states.time)),
      "time_ms": .integer(states.time), "schema": .string(states.schema.encoded().hexadecimal),
      "state": .string(states.value.encoded().hexadecimal),
    ]
    guard options.arguments.count > 1, options.arguments[1] != "-" else { return print(json) }
    let file = options.arguments[1]
    // Other users must not read the state.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0, let stream = fdopen(descriptor, "w") else {
      throw ToolFailure(.failed, "cannot create \(file): \(String(cString: strerror(errno)))")
    }
    let isWritten = fputs("\(json)\n", stream) >= 0 && fflush(stream) == 0 && fsync(descriptor) == 0
    guard fclose(stream) == 0, isWritten else {
      let reason = String(cString: strerror(errno))
      unlink(file)
      throw ToolFailure(.failed, "cannot write \(file): \(reason)")
    }
  }

  private func importSnapshot() throws(ToolFailure) {
    let directory = try chosenStateDirectory()
    guard options.arguments.count > 1 else { throw ToolFailure(.usage, "snapshot import needs a file") }
    let (file, bytes) = try contents(of: options.arguments[1])
    let wrong = ToolFailure(.failed, "\(file) is not a snapshot from `storectl snapshot export`")
    guard let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)),
      json["format"] == "storehub-snapshot-1", case .number(let revision)? = json["revision"],
      case .number(let time)? = json["time_ms"], case .string(let schemaText)? = json["schema"],
      case .string(let stateText)? = json["state"], let revision = UInt64(revision), revision < 1 << 53,
      let time = Int64(time), 0..<1 << 53 ~= time,
      let schemaBytes = [UInt8](hexadecimal: schemaText), let state = [UInt8](hexadecimal: stateText),
      let schema = try? Schema(decoding: schemaBytes.span.bytes)
    else { throw wrong }
    var decoder = CBORDecoder(state.span.bytes)
    guard (try? SchemaValues(schema).value(of: schema.state, from: &decoder)) != nil, decoder.isAtEnd else {
      throw wrong
    }
    try JournalStates.attempt { () throws(LogError) in
      try JournalTool.begin(directory, schema: schema, state: state, revision: revision, time: time)
    }
    effect = "the journal was created"
    if isJSON { print(["revision": .integer(revision), "directory": .string(directory)]) }
  }

  /// Reads a file, or standard input if it is `-`, and returns its bytes with its name for messages.
  func contents(of file: String) throws(ToolFailure) -> (name: String, bytes: [UInt8]) {
    let isInput = file == "-"
    let name = isInput ? "standard input" : file
    guard let stream = isInput ? fdopen(dup(STDIN_FILENO), "r") : fopen(file, "r") else {
      throw ToolFailure(.failed, "cannot open \(name): \(String(cString: strerror(errno)))")
    }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
    guard ferror(stream) == 0 else {
      throw ToolFailure(.failed, "cannot read \(name): \(String(cString: strerror(errno)))")
    }
    return (name, bytes)
  }

  func wrongWord(_ word: String?, _ known: [String]) -> ToolFailure {
    let near = word.map { Spelling.nearest(to: $0, among: known) } ?? []
    let list = known.joined(separator: ", ")
    let other = word.map { ", not '\($0)'\(Spelling.question(near))" } ?? ""
    return ToolFailure(.usage, "\(options.command ?? "") needs one of \(list)\(other)")
  }
}
