import LoginSessions
import StoreHub
import SystemBus

/// Shares the number of login sessions of this machine.
@main
nonisolated struct SessionsHub: HubService {
  static let description = ServiceDescription(
    "sessionshub",
    options: [
      ServiceOption("bus", argument: "ADDRESS", "the D-Bus bus with systemd-logind; default: the system bus")
    ])

  let initialState = MachineMonitor.State()
  private var address: String?
  private var bus: SystemBus?

  mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError) {
    address = options["bus"]
  }

  @MainActor mutating func prepare(on loop: EventLoop, log: Log) throws {
    bus = try SystemBus(loop: loop, address: address)
  }

  var body: some ReducerOf<MachineMonitor> { MachineMonitor() }

  @MainActor func prepareDependencies(_ dependencies: inout DependencyValues) {
    if let bus { dependencies.machine = .login(over: bus) }
  }

  func actions(for event: HubEvent, in state: MachineMonitor.State) -> [MachineMonitor.Action] {
    event == .started ? [.started] : []
  }
}
