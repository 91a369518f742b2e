import FeatureCore
import TurnLog

/// The shell's work since it last executed the commands: these in order, and the values that they refer to.
struct CommandBuffer: ~Copyable {
  private(set) var commands = TurnList<HubCommand>()
  private(set) var reports: [HubReport] = []
  private(set) var effectCommands: [EffectCommand<AnyAction>] = []
  private(set) var turnsToStore: [LoggedTurn] = []
  private(set) var forwarding: [ForwardingCommand] = []
  /// The number of commands for the replicated log that were taken, the oldest ones.
  private var takenCount = 0

  /// True if commands for the replicated log wait.
  var isForwarding: Bool { takenCount < forwarding.count }

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

  /// Takes the commands for the replicated log up to the one with this index, except those that were taken before.
  mutating func takeForwarding(through index: Int) -> ArraySlice<ForwardingCommand> {
    guard index >= takenCount else { return [] }
    defer { takenCount = index + 1 }
    return forwarding[takenCount...index]
  }

  mutating func removeAll() {
    takenCount = 0
    commands.removeAll()
    if !reports.isEmpty { reports.removeAll() }
    if !effectCommands.isEmpty { effectCommands.removeAll() }
    if !turnsToStore.isEmpty { turnsToStore.removeAll() }
    if !forwarding.isEmpty { forwarding.removeAll() }
  }
}
