import BrowserTerminal
import EventLoop
import Glibc
import ProgramOptions
import StoreClient
import Terminal
import TerminalApp
import TerminalUI
import TerminalViews

// A terminal client that shows the shared state of a hub and sends it actions.

let options = ProgramOptions(
  program: "storeterm", purpose: "Shows the store of a hub in a terminal, and changes it by keys.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
    .init("wait", short: "w", "wait for the hub if it is not running yet"),
    .init("timeout", argument: "TIME", "the time for which the hub may be silent; default 5s"),
    .init(
      "theme", short: "t", argument: "NAME", "dark, light or mono; default dark, or mono if NO_COLOR is set",
      value: .words(Theme.allCases.map(\.rawValue))),
    .init(
      "state-dir", argument: "DIR",
      """
      show the actions in the journal of this state directory, and who sent them; default: STOREHUB_STATE_DIR, or that \
      of the hub, if this user may read it
      """,
      value: .file),
    .init(
      "generic", short: "g",
      "show any hub by its schema, also one for which this program has screens of its own (see ANY HUB)"),
    .init(
      "config", short: "c", argument: "FILE", "how a hub is shown by its schema, see storeterm.conf(5)", value: .file),
    .init("print-config", "print how the hub is shown by its schema as such a file, with comments, and exit"),
    .init("no-prediction", "show the effect of keys only after the hub has answered"),
    .init("no-mouse", "let the terminal handle the mouse, for selecting text"),
  ],
  sections: [
    .init(
      "KEYS",
      [
        .text(
          """
          The last line of the screen names the most important keys, and ? shows all keys of the open screen. A line of \
          text holds \(TextLine.limit) bytes of UTF-8; a message gives the size of the text that was not added.
          """)
      ]),
    .init(
      "ANY HUB",
      [
        .text(
          """
          A hub of any other feature than the one that this program was compiled with is shown by the schema that the hub \
          sends: a tab for each part of its state, tables of its collections, forms of its structs, the actions in a list \
          that : opens, and its alerts as dialogs. The program subscribes to what the screen shows, of a large \
          collection to a window of its elements. Sorting, filtering and searching load all of them, up to 100,000.
          """),
        .text(
          """
          The last ten actions can be repeated. What this user may not do is not offered any more once the hub has \
          refused it. Where the journal can be read, [ and ] step through past states, in which actions are off.
          """),
      ]),
    .init(
      "EXIT STATUS",
      [
        .terms([
          ("0", "ended by the user or a signal"),
          (
            "1",
            """
            the hub cannot be reached or refused the connection, there is no terminal, or the hub had not acknowledged all \
            actions at the end
            """
          ),
          ("2", "the command line is wrong"),
        ])
      ]),
    .init(
      "ENVIRONMENT",
      [
        .terms([
          socketVariable(), stateDirectoryVariable(), ("NO_COLOR", "turns colours off if it is not empty"),
        ])
      ]),
  ])
/// The command line.
struct CommandLine {
  var session: Session.Settings
  var browser: BrowserSession.Settings
  var isGeneric: Bool
  var printsConfiguration: Bool
}

let line = options.read { (parsed) throws(UsageError) in
  let terminal = TerminalSession.Settings(
    path: try parsed.socketPath("socket", default: defaultSocketPath()), waitsForHub: parsed.flag("wait"),
    theme: try parsed.choice("theme", of: Theme.allCases.map { ($0.rawValue, $0) }, default: .dark),
    takesMouse: !parsed.flag("no-mouse"),
    timeout: try parsed.hubTimeout())
  let session = Session.Settings(
    terminal: terminal, stateDirectory: parsed.stateDirectory, requiresJournal: parsed.string("state-dir") != nil,
    predicts: !parsed.flag("no-prediction"))
  var browser = BrowserSession.Settings(terminal)
  (browser.stateDirectory, browser.requiresJournal) = (session.stateDirectory, session.requiresJournal)
  browser.configurationFile = parsed.string("config")
  let isGeneric = parsed.flag("generic") || browser.configurationFile != nil
  return CommandLine(
    session: session, browser: browser, isGeneric: isGeneric, printsConfiguration: parsed.flag("print-config"))
}

/// Runs the program; returns the reason why it ends with a failure.
@MainActor func run(_ line: CommandLine) throws -> String? {
  let loop = try EventLoop()
  try loop.drainMainQueue()
  if line.printsConfiguration {
    let printer = try ConfigurationPrinter(line.browser, on: loop)
    return printer.run()
  }
  if !line.isGeneric {
    let session = try Session(line.session, on: loop)
    try session.run()
    guard session.isForOtherFeature else { return session.failure }
  }
  let session = try BrowserSession(line.browser, name: Session.name, on: loop)
  try session.run()
  return session.failure
}

do {
  if let failure = try run(line) {
    printError("storeterm: \(failure)")
    exit(1)
  }
} catch {
  printError("storeterm: \(error)")
  exit(1)
}
