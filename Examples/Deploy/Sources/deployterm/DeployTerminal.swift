import Deploy
import TerminalApp

/// The queue in a terminal, for people who submit, approve and watch.
@main
struct DeployTerminal: TerminalApp {
  static let description = TerminalAppDescription(
    purpose: "Shows the queue of a deploy hub, and lets you submit, approve and cancel jobs.", directory: "deployhub")

  var feature: some ReducerOf<Deploy> { Deploy() }

  func content(_ store: StoreOf<Deploy>) -> some TerminalView {
    let desk = Store(initialState: Desk.State()) { Desk { try await store.send($0).taken() } }
    desk.send(.started)
    return DeployView(store: store, desk: desk)
  }
}
