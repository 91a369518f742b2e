extension MachineMonitor.State {
  /// A line for people about the machine.
  public var notice: String {
    guard let status else { return failure ?? "nothing is known yet" }
    if status.isShuttingDown { return "this machine is shutting down" }
    return status.sessions == 1 ? "1 session here" : "\(status.sessions) sessions here"
  }
}
