package import ProgramOptions

nonisolated extension TerminalAppDescription {
  /// The name of this process's executable file.
  static var nameOfProcess: String {
    ProcessArguments.programName.isEmpty ? "terminal" : ProcessArguments.programName
  }
}

/// The command line of a terminal client.
struct TerminalAppOptions {
  var settings: TerminalSession.Settings
  var predicts: Bool

  /// Reads the command line. Executes `--help` and `--version`, which exit; so does a wrong option.
  init(of about: TerminalAppDescription) {
    let options = ProgramOptions(
      program: about.name, purpose: about.purpose,
      options: [
        .init(
          "socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(in: about.directory),
          value: .file),
        .init("wait", short: "w", "wait for the hub if it is not running yet"),
        .init("timeout", argument: "TIME", "the time for which the hub may be silent; default 5s"),
        .init(
          "theme", short: "t", argument: "NAME", "dark, light or mono; default dark, or mono if NO_COLOR is set",
          value: .words(Theme.allCases.map(\.rawValue))),
        .init("no-prediction", "show the effect of keys only after the hub has answered"),
        .init("no-mouse", "let the terminal handle the mouse, for selecting text"),
      ],
      sections: [
        .init(
          "EXIT STATUS",
          [
            .terms([
              ("0", "ended by the user or a signal"),
              (
                "1",
                """
                the hub cannot be reached or refused the connection, there is no terminal, or the hub had not \
                acknowledged all actions at the end
                """
              ),
              ("2", "the command line is wrong"),
            ])
          ]),
        .init(
          "ENVIRONMENT",
          [.terms([socketVariable(in: about.directory), ("NO_COLOR", "turns colours off if it is not empty")])]),
      ])
    self = options.read { (parsed) throws(UsageError) in
      Self(
        settings: TerminalSession.Settings(
          path: try parsed.socketPath("socket", default: defaultSocketPath(in: about.directory)),
          waitsForHub: parsed.flag("wait"),
          theme: try parsed.choice("theme", of: Theme.allCases.map { ($0.rawValue, $0) }, default: .dark),
          takesMouse: !parsed.flag("no-mouse"),
          timeout: try parsed.hubTimeout()),
        predicts: !parsed.flag("no-prediction"))
    }
  }

  private init(settings: TerminalSession.Settings, predicts: Bool) {
    (self.settings, self.predicts) = (settings, predicts)
  }
}

nonisolated extension ParsedOptions {
  /// The time for which the hub may be silent, `--timeout`. A hub that is busy must have the time to answer.
  package func hubTimeout() throws(UsageError) -> Duration {
    let time = try duration("timeout", default: TerminalSession.Settings.standardTimeout)
    guard time >= .milliseconds(100) else { throw UsageError("--timeout needs at least 100ms") }
    return time
  }
}
