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
      .status, .clients, .schema, .generate, .state, .watch, .wait, .send, .set, .insert, .remove, .move, .top, .verify,
      .log,
      .diff, .blame, .bisect, .inspect, .fork, .snapshot, .journal, .token, .cluster, .completions,
    ],
    sections: [.paths, .actions, .revisionsAndTimes, .json, .changes, .exitStatus, .environment, .seeAlso])
}

extension ProgramOptions.Argument {
  /// The path of a part of the state.
  nonisolated static let path = Self("PATH", .atMostOnce, value: .path)
}

extension ProgramOptions.Option {
  nonisolated static let hub = Self("hub", "use the hub's own state (its clients) instead of the feature's")
  nonisolated static let directory = Self(
    "state-dir", argument: "DIR", "the hub's state directory; default: STOREHUB_STATE_DIR, or that of the hub",
    value: .file)
}

extension ProgramOptions.Block {
  /// The paragraph in the help of all commands that take a predicate.
  nonisolated static let predicate = Self.text(
    """
    A predicate is a path, a comparison (== != < <= > >=, or ~ for a text that contains another one) and a value. A path \
    alone is true if it has a value that is neither false nor nil, and with ! before it if not. Texts are compared by \
    their bytes, except by ~.
    """)
  /// The paragraph in the help of all commands that read the journal.
  nonisolated static let readsJournal = Self.text(
    """
    Reads the hub's state directory, whether or not the hub is running, and changes no data. Without --state-dir and \
    STOREHUB_STATE_DIR, the hub at --socket is asked for it, which tells it to root, its own user and others that may \
    read the files.
    """)
}
