internal import Observation

/// The state that a client's screen depends on, beside its views.
@Observable
final class ClientModel<State, Action> {
  var store: Store<State, Action>?
}

/// The view of an app's store, or the reason why there is none yet.
struct ClientContent<App: TerminalApp>: TerminalView {
  let app: App
  let model: ClientModel<App.Feature.State, App.Feature.Action>
  let status: ConnectionStatus

  var body: some TerminalView {
    if let store = model.store {
      // What is shown may be old. The content is not evaluated for this.
      app.content(store).style { [status] in Style(dim: status.isStale) }
    } else {
      WaitingView(status)
    }
  }
}
