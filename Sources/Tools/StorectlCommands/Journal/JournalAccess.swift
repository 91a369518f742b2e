internal import EventLoop
internal import Journal
internal import ProgramOptions
internal import TurnLog

extension Tool {
  /// Opens the journal that the options name, or that of the hub.
  func openJournal() async throws(ToolFailure) -> JournalReader {
    let directory = try await stateDirectory()
    return try JournalStates.attempt { () throws(LogError) in try JournalReader(directory) }
  }

  /// Returns the state directory from the options or the environment, or asks the hub for its own.
  func stateDirectory() async throws(ToolFailure) -> String {
    if let directory = options.stateDirectory { return directory }
    // The socket of `fork` is that of the new hub.
    let path = options.command == "fork" ? defaultSocketPath() : path
    let reason: String
    do throws(ToolFailure) {
      if let directory = try await directoryOfHub(at: path) { return directory }
      reason = "the hub at \(path) has none, or this user may not read it"
    } catch {
      try checkInterruption()
      reason = error.reason
    }
    let command = options.command ?? ""
    throw ToolFailure(
      .usage, "\(command) needs --state-dir or STOREHUB_STATE_DIR, the state directory of the hub: \(reason)")
  }

  /// Returns the state directory from the options, the environment or the hub; nil if none of them has it.
  func stateDirectoryIfKnown() async throws(ToolFailure) -> String? {
    if let directory = options.stateDirectory { return directory }
    do throws(ToolFailure) { return try await directoryOfHub(at: path) } catch {
      try checkInterruption()
      return nil
    }
  }

  /// Returns the state directory from the options or the environment, for a command that changes it.
  func chosenStateDirectory() throws(ToolFailure) -> String {
    guard let directory = options.stateDirectory else {
      throw ToolFailure(
        .usage, "\(options.command ?? "") needs --state-dir or STOREHUB_STATE_DIR, the state directory of the hub")
    }
    return directory
  }

  private func directoryOfHub(at path: String) async throws(ToolFailure) -> String? {
    let hub = try await connect(to: path)
    defer { hub.fail(.done, "") }
    return hub.stateDirectory
  }
}
