internal import EventLoop
internal import Glibc
internal import HTTPServer
internal import JSONText
package import ProgramOptions
internal import SchemaNames
internal import Wire

/// One run of storectl: a command, a session with a hub, an exit status.
package final class Tool {
  let options: ParsedOptions
  let path: String
  let isJSON: Bool
  let loop: EventLoop
  let output: Output
  let palette: Palette
  let timeout: Duration
  let breaks: LoopBreaks
  private let isQuiet: Bool
  private let usesPager: Bool
  private(set) var isInterrupted = false
  /// True if a signal has arrived, or the command has lost the reader of its output.
  var isEnding: Bool { isInterrupted || hasLostReader }
  /// True if the output has ended, and with it the command. A command that does more than print, or whose status is its
  /// result, goes on.
  var hasLostReader: Bool { output.end != nil && !Self.withoutReader.contains(options.command ?? "") }
  private static let withoutReader: Set = [
    "status", "send", "set", "insert", "remove", "move", "verify", "fork", "snapshot", "journal", "inspect",
    "token", "cluster",
  ]
  /// The exit status for the signal that interrupted the tool.
  private(set) var interruption = ExitStatus.interrupted
  /// The change that the command has made; nil if it has made none.
  var effect: String?
  /// What the command has done so far, for one that changes more than one place; it is printed after an interruption.
  var progress: String?
  private var session: HubConnection?
  /// Called when a signal arrives, to end the current wait.
  var onInterrupt: (() -> Void)?
  private var signals: [SignalWatch] = []
  private var pager: Pager?

  /// Creates a run from its options.
  ///
  /// - Throws: `UsageError` for a wrong option, or another error if the process has no descriptors left.
  package init(_ options: ParsedOptions) throws {
    self.options = options
    path = try options.socketPath("socket", default: defaultSocketPath())
    isJSON = options.flag("json")
    isQuiet = options.flag("quiet")
    timeout = try options.duration("timeout", default: .seconds(10))
    let mode = try options.choice("color", of: Palette.Mode.allCases.map { ($0.rawValue, $0) }, default: .auto)
    usesPager = !options.flag("no-pager")
    _ = try options.integer("count", in: 1...Int.max, default: 1)
    _ = try options.integer("to", in: 0...Int.max, default: 0)
    if let address = options.string("listen"), HTTPAddress(address) == nil {
      throw UsageError("--listen needs a path with a slash or a port from 1 to 65535, not '\(address)'")
    }
    guard try options.duration("interval", default: .seconds(1)) >= .milliseconds(10) else {
      throw UsageError("--interval needs a time of at least 10ms")
    }
    setlocale(LC_ALL, "")
    loop = try EventLoop()
    try loop.drainMainQueue()
    output = Output(loop: loop)
    breaks = LoopBreaks(loop)
    palette = Palette(mode, isTerminal: output.isTerminal)
  }

  /// Runs the command to its end, and returns the exit status.
  package func run() -> Int32 {
    var status = ExitStatus.failed
    for (number, status) in [(SIGINT, ExitStatus.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated)] {
      // nohup(1) has SIGHUP ignored, and a shell the SIGINT of a program in the background.
      guard !isIgnored(number) else { continue }
      if let watch = try? SignalWatch(on: loop, number, { [weak self] in self?.interrupt(status) }) {
        signals.append(watch)
      }
    }
    output.onEnd = { [weak self] in
      guard let self, hasLostReader else { return }
      onInterrupt?()
      session?.fail(.done, "")
    }
    runLoop { status = await self.execute() }
    return status.rawValue
  }

  /// Runs the loop until a task has ended.
  func runLoop(_ body: @escaping () async -> Void) {
    // A task that is ready to run does not keep the loop alive.
    let whole = try? Timer(on: loop) {}
    whole?.start(after: .seconds(1 << 30))
    Task {
      await body()
      loop.stop()
    }
    loop.run()
    whole?.stop()
  }

  private func execute() async -> ExitStatus {
    var status = ExitStatus.done
    do throws(ToolFailure) {
      try await perform()
      await endPager()
    } catch {
      status = error.status
      await endPager()
      if status == .interrupted || status == .terminated {
        if let progress { note("\(status == .interrupted ? "interrupted" : "terminated"): \(progress)") }
      } else if !error.reason.isEmpty {
        note(text(error))
      }
    }
    session?.fail(.done, "")
    if !isInterrupted { await output.finish() }
    if case .failed(let reason)? = output.end {
      // A script that repeats the command must not make the change twice.
      note("cannot write the output: \(reason)\(effect.map { "; but \($0)" } ?? "")")
      return effect == nil ? .failed : .outputLost
    }
    return status
  }

  private func perform() async throws(ToolFailure) {
    switch options.command {
    case "status": try await status()
    case "clients": try await clients()
    case "schema": try await schema()
    case "generate": try await generate()
    case "state": try await options.string("at") == nil ? state() : pastState()
    case "watch": try await watch()
    case "wait": try await wait()
    case "send": try await send()
    case "set": try await set()
    case "insert": try await insert()
    case "remove": try await remove()
    case "move": try await move()
    case "top": try await top()
    case "verify": try await verify()
    case "log": try await log()
    case "diff": try await diff()
    case "blame": try await blame()
    case "bisect": try await bisect()
    case "fork": try await fork()
    case "snapshot": try await snapshot()
    case "journal": try await journal()
    case "inspect": try await inspect()
    case "token": try token()
    case "cluster": try await cluster()
    case "completions": try completions()
    default: throw ToolFailure(.usage, "there is no such command")
    }
  }

  /// Handles a signal: the first one ends the current wait, and the tool does not wait for its reader at the end. A
  /// second one discards unwritten output immediately, if the command still waits for its reader.
  private func interrupt(_ status: ExitStatus) {
    if isInterrupted { return output.abandon() }
    (isInterrupted, interruption) = (true, status)
    output.endWait()
    onInterrupt?()
    session?.fail(status, status == .interrupted ? "interrupted" : "terminated")
  }

  // MARK: For the commands

  /// Connects to the hub.
  ///
  /// - Parameters:
  ///   - path: The path of its socket; nil for the one of the options.
  ///   - isWatched: True if a silent hub must be detected even while no answer is expected.
  ///   - isDocumented: True to request the documentation of the feature's schema.
  func connect(
    to path: String? = nil, isWatched: Bool = false, isDocumented: Bool = false
  ) async throws(ToolFailure) -> HubConnection {
    let session = try HubConnection(
      loop: loop, path: path ?? self.path, name: "storectl \(options.command ?? "")", timeout: timeout,
      isWatched: isWatched, isDocumented: isDocumented)
    self.session = session
    if isInterrupted { session.fail(.interrupted, "interrupted") }
    try await session.open()
    return session
  }

  /// Ends the current session, also one that is being opened.
  func endSession(_ status: ExitStatus) { session?.fail(status, "") }

  var root: StateRoot { options.flag("hub") ? .hub : .feature }

  /// Returns the part that a path names: in the state of the options, or with `view:` in a view.
  func place(
    _ name: String, on hub: HubConnection
  ) async throws(ToolFailure) -> (root: StateRoot, path: PartPath) {
    guard let view = RootedPath.viewPath(in: name) else {
      return (root, try part(name, in: hub.schema(of: root), allowsWindow: true))
    }
    let views = try await views(of: hub, for: name)
    guard !view.isEmpty else {
      throw ToolFailure(.unknownName, "'\(name)' names no view; `storectl schema --views` lists those of this hub")
    }
    do throws(SchemaNameError) { return (.views, try views.part(named: view, allowsWindow: true)) } catch {
      throw ToolFailure(error.inViews(views), in: .views)
    }
  }

  /// Returns the schema of the views that the hub's feature declares.
  func views(of hub: HubConnection, for name: String) async throws(ToolFailure) -> Schema {
    guard let schema = try await hub.views() else {
      throw ToolFailure(.unknownName, "\(SchemaNameError.noViews(name))")
    }
    return schema
  }

  /// Returns the path of a part, which may be within one that a client can subscribe to.
  func part(_ text: String, in schema: Schema, allowsWindow: Bool = false) throws(ToolFailure) -> PartPath {
    do throws(SchemaNameError) {
      return try schema.part(named: text, allowsWindow: allowsWindow)
    } catch {
      throw ToolFailure(error, in: root)
    }
  }

  /// The columns of the terminal; nil if the output is not a terminal.
  var width: Int? {
    if let columns = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), columns > 0 { return columns }
    return terminalSize.map { Int($0.ws_col) }
  }

  private var terminalSize: winsize? {
    var size = winsize()
    guard output.isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return size
  }

  /// Prints a line on standard error, unless `--quiet` is given.
  func note(_ text: String) {
    if !isQuiet { printError("storectl: \(ValueText.safe(text))") }
  }

  /// Prints one JSON value.
  func print(_ json: JSONValue) { output.line("\(json)") }

  /// Prints lines for people, through a pager if there are more than the terminal has rows.
  func print(_ lines: [String]) {
    if let pageRows, lines.count >= pageRows { startPager() }
    for line in lines { output.line(line) }
  }

  /// The number of lines from which on output for people goes through a pager; nil if it never does.
  var pageRows: Int? { usesPager && pager == nil ? terminalSize.map { Int($0.ws_row) } : nil }

  /// Lets a pager show all further output.
  func startPager() {
    pager = Pager()
    if let pager { output.redirect(to: pager.descriptor) }
  }

  /// Waits until the user has left the pager.
  private func endPager() async {
    guard let pager = pager.take() else { return }
    if !isInterrupted { await output.finish() }
    output.leave()
    pager.wait()
  }
}

/// Returns true if this process was started with a signal ignored.
private func isIgnored(_ number: CInt) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else { return false }
  return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
