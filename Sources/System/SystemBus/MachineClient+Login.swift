package import Features

extension MachineClient {
  /// A client of systemd-logind.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - service: The name of the service; tests pass another one.
  package static func login(over bus: SystemBus, service: String = "org.freedesktop.login1") -> MachineClient {
    MachineClient(statuses: {
      let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: MachineStatus.self, bufferingPolicy: .bufferingNewest(1))
      let watch = await bus.watch(
        service: service, path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager"
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
