internal import Journal
internal import TurnLog
internal import Wire

extension JournalStates {
  /// Starts with the last snapshot that does not contain turns after a position.
  static func begin(_ reader: JournalReader, upTo position: UInt64) throws(ToolFailure) -> JournalStates {
    try attempt { () throws(LogError) in try JournalStates(reader, upTo: position) }
  }

  /// Advances to the next turn, and returns it with the state before it; nil after the last one.
  func advance() throws(ToolFailure) -> (turn: LoggedTurn, before: CBORValue)? {
    try Self.attempt { () throws(LogError) in try next() }
  }

  /// Returns a state converted to another schema.
  static func converted(_ value: CBORValue, from old: Schema, to new: Schema) throws(ToolFailure) -> CBORValue {
    try attempt { () throws(LogError) in try mapped(value, from: old, to: new) }
  }

  /// Reads from a journal, and converts its errors to those of the tool.
  static func attempt<Result>(_ body: () throws(LogError) -> Result) throws(ToolFailure) -> Result {
    do throws(LogError) { return try body() } catch {
      switch error.problem {
      case .damaged: throw ToolFailure(.damaged, error.description)
      case .trimmed: throw ToolFailure(.absent, error.description)
      case .storage, .full, .inUse, .unknownFormat: throw ToolFailure(.failed, error.description)
      }
    }
  }
}
