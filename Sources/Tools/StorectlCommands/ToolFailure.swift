internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

/// The exit statuses of the tool. They are not those of sysexits; scripts may rely on them.
package nonisolated enum ExitStatus: Int32, Sendable, CaseIterable {
  /// The command succeeded.
  case done = 0
  /// The hub rejected it, or another error occurred that has no status of its own.
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
  /// The path has no value: an optional is nil, an enum is in another case, or there is no such element. Or the journal
  /// has no matching entry.
  case absent = 7
  /// The state in this process differs from the hub's, a generated file from what would be generated, or a journal from
  /// the log of its cluster, which must not be continued with it.
  case diverged = 8
  /// The journal is damaged.
  case damaged = 9
  /// The command has changed something, but its output cannot be written.
  case outputLost = 10
  /// The hub refused it because this user lacks the right.
  case notPermitted = 11
  /// With `--must-change`: the action was applied, but nothing changed. For `cluster restore`: there is nothing to restore.
  case unchanged = 12
  /// SIGINT interrupted the command.
  case interrupted = 130
  /// SIGTERM or SIGHUP terminated the command.
  case terminated = 143
}

/// The reason why a command failed.
nonisolated struct ToolFailure: Error, Equatable {
  var status: ExitStatus
  var reason: String
  /// The names among which the user's was not found, and which none of them resembles.
  var names: Names?

  /// Names that a command prints.
  enum Names: Equatable {
    /// The fields or cases of a type.
    case type(String, StateRoot)
    /// The types of a schema.
    case types(StateRoot)
  }

  init(_ status: ExitStatus, _ reason: String, names: Names? = nil) {
    (self.status, self.reason, self.names) = (status, reason, names)
  }

  /// Creates the failure for a name that the schema of a state does not have.
  init(_ error: SchemaNameError, in root: StateRoot = .feature) {
    let names = error.suggestions.isEmpty ? error.type.map { Names.type($0, root) } : nil
    self.init(.unknownName, "\(error)", names: names)
  }

  /// Creates the failure for a value that its type in the feature's schema does not have.
  init(_ error: SchemaValueError) {
    let names = error.suggestions.isEmpty ? error.type.map { Names.type($0, .feature) } : nil
    self.init(.unknownName, "\(error)", names: names)
  }
}

extension Tool {
  /// The reason of a failure, and where the names are listed if the user's resembles none of them.
  func text(_ failure: ToolFailure) -> String {
    guard let names = failure.names else { return failure.reason }
    if let directory = options.string("state-dir") {
      // There may be no hub with the journal's schema.
      let word = ProgramOptions.shellWord(directory)
      return "\(failure.reason); `storectl state --at now --state-dir \(word)` shows the last state"
    }
    let hint =
      switch names {
      case .type(let name, let root):
        "`storectl schema\(Self.option(for: root)) \(ProgramOptions.shellWord(name))` shows that type"
      case .types(let root): "`storectl schema\(Self.option(for: root))` lists the types"
      }
    return "\(failure.reason); \(hint)"
  }

  private static func option(for root: StateRoot) -> String {
    switch root {
    case .views: " --views"
    case .hub: " --hub"
    default: ""
    }
  }
}
