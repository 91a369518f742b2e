import Glibc
import ProgramOptions
import StoreClient
import Terminal
import TerminalUI
import TerminalViews

// A terminal client that shows the shared state of a hub and sends it actions.

let options = ProgramOptions(
  program: "storeterm", purpose: "Shows the store of a hub in a terminal, and changes it by keys.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
    .init("wait", short: "w", "wait for the hub if it is not running yet"),
    .init(
      "theme", short: "t", argument: "NAME", "dark, light or mono; default dark, or mono if NO_COLOR is set",
      value: .words(Theme.allCases.map(\.rawValue))),
    .init(
      "state-dir", argument: "DIR", "show the actions in the journal of this state directory, and who sent them",
      value: .file),
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
          socketVariable(), ("NO_COLOR", "turns colours off if it is not empty"),
        ])
      ]),
  ])
let settings = options.read { (parsed) throws(UsageError) in
  Session.Settings(
    path: try parsed.socketPath("socket", default: defaultSocketPath()), waitsForHub: parsed.flag("wait"),
    theme: try parsed.choice("theme", of: Theme.allCases.map { ($0.rawValue, $0) }, default: .dark),
    stateDirectory: parsed.string("state-dir"), predicts: !parsed.flag("no-prediction"),
    takesMouse: !parsed.flag("no-mouse"))
}
do {
  let session = try Session(settings)
  try session.run()
  if let failure = session.failure {
    printError("storeterm: \(failure)")
    exit(1)
  }
} catch {
  printError("storeterm: \(error)")
  exit(1)
}
