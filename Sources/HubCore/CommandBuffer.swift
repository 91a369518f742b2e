import FeatureCore
import TurnLog

/// The shell's work since it last executed the commands: these in order, and the values that they refer to.
struct CommandBuffer: ~Copyable {
  private(set) var commands = TurnList<HubCommand>()
  private(set) var reports: [HubReport] = []
  private(set) var effectCommands: [EffectCommand<AnyAction>] = []
  private(set) var turnsToStore: [LoggedTurn] = []
  private(set) var forwarding: [ForwardingCommand] = []

  var isEmpty: Bool { commands.isEmpty }

  mutating func append(_ command: HubCommand) { commands.append(command) }

  /// Adds the command to log a report.
  mutating func append(_ report: HubReport) {
    commands.append(.report(reports.count))
    reports.append(report)
  }

  /// Adds the command to start or cancel an effect.
  mutating func append(_ command: EffectCommand<AnyAction>) {
    commands.append(.effect(effectCommands.count))
    effectCommands.append(command)
  }

  /// Adds the command to store a turn; one command stores all.
  mutating func append(_ turn: LoggedTurn) {
    if turnsToStore.isEmpty { commands.append(.store) }
    turnsToStore.append(turn)
  }

  /// Adds a command for the replicated log.
  mutating func append(_ command: ForwardingCommand) {
    commands.append(.forwarding(forwarding.count))
    forwarding.append(command)
  }

  mutating func removeAll() {
    commands.removeAll()
    if !reports.isEmpty { reports.removeAll() }
    if !effectCommands.isEmpty { effectCommands.removeAll() }
    if !turnsToStore.isEmpty { turnsToStore.removeAll() }
    if !forwarding.isEmpty { forwarding.removeAll() }
  }
}
