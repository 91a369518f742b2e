/// What a run of the tool ends with, as sysexits does not have it: numbers that scripts may rely on.
public nonisolated enum ExitStatus: Int32, Sendable, CaseIterable {
  /// What was asked for was done.
  case done = 0
  /// The hub refused it, or something without a number of its own failed.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
  /// The hub's schema has no such path, action or type, or a value does not fit it.
  case unknownName = 3
  /// No hub can be reached at the socket.
  case unreachable = 4
  /// The hub went away, or closed the connection, before it was done.
  case hubWentAway = 5
  /// The hub did not answer in time.
  case timedOut = 6
  /// Nothing is at the path: an optional is nil, an enum in another case, or there is no such element. Or the journal has
  /// nothing of the kind that was asked for.
  case absent = 7
  /// The state here is not the hub's.
  case diverged = 8
  /// The journal is damaged.
  case damaged = 9
  /// It was interrupted, by SIGINT.
  case interrupted = 130
  /// It was terminated, by SIGTERM or SIGHUP.
  case terminated = 143
}

/// Why a command did not do what was asked for.
nonisolated struct ToolFailure: Error, Equatable {
  var status: ExitStatus
  var reason: String

  init(_ status: ExitStatus, _ reason: String) {
    (self.status, self.reason) = (status, reason)
  }
}
