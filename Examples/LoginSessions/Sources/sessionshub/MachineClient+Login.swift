import LoginSessions
import SystemBus

extension MachineClient {
  /// A client of systemd-logind.
  ///
  /// - Parameter bus: The bus, which must outlive the client's streams.
  static func login(over bus: SystemBus) -> MachineClient {
    MachineClient(statuses: {
      let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: MachineStatus.self, bufferingPolicy: .bufferingNewest(1))
      let watch = await bus.watch(
        service: "org.freedesktop.login1", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager"
      ) { result in
        switch result {
        case .success(let properties): continuation.yield(MachineStatus(login: properties))
        case .failure(let error):
          continuation.finish(throwing: MachineError(message: "\(error)"))
        }
      }
      continuation.onTermination = { _ in Task { @MainActor in watch.cancel() } }
      return stream
    })
  }
}

extension MachineStatus {
  /// Creates the state from the properties of logind's manager.
  init(login properties: [String: BusValue]) {
    self.init(
      sessions: properties["NCurrentSessions"]?.integer ?? 0,
      isShuttingDown: properties["PreparingForShutdown"]?.bool ?? false)
  }
}
