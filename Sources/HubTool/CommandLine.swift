package import ProgramOptions

/// The command line of storectl, from which the parser, `--help`, the manual page and the completions are made.
package nonisolated func toolOptions() -> ProgramOptions {
  ProgramOptions(
    program: "storectl",
    purpose: "Shows and watches the state of a hub of any feature, and sends it actions.",
    options: [
      .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
      .init("json", short: "j", "print JSON, one value per line"),
      .init("quiet", short: "q", "print no messages on standard error, only set the exit status"),
      .init("timeout", argument: "TIME", "the time to wait for an answer, such as 500ms, 1.5s or 2m; default 10s"),
      .init(
        "color", argument: "WHEN", "auto, always or never; default auto: on a terminal, unless NO_COLOR is set",
        value: .words(["auto", "always", "never"])),
      .init("no-pager", "do not show long output in $PAGER"),
    ],
    commands: [
      .status, .clients, .schema, .state, .watch, .send, .top, .verify, .log, .diff, .blame, .bisect, .inspect, .fork,
      .snapshot, .journal, .completions,
    ],
    sections: [.paths, .actions, .revisionsAndTimes, .json, .exitStatus, .environment, .seeAlso])
}

extension ProgramOptions.Argument {
  /// The path of a part of the state.
  nonisolated static let path = Self("PATH", .atMostOnce, value: .path)
}

extension ProgramOptions.Option {
  nonisolated static let hub = Self("hub", "use the hub's own state (its clients) instead of the feature's")
  nonisolated static let directory = Self(
    "state-dir", argument: "DIR", "the hub's state directory; default: STOREHUB_STATE_DIR", value: .file)
}

extension ProgramOptions.Block {
  /// The paragraph in the help of all commands that read the journal.
  nonisolated static let readsJournal = Self.text(
    "Reads the hub's state directory, whether or not the hub is running, and changes no data.")
}
