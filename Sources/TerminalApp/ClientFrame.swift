internal import Observation

/// The state that a client's screen depends on, beside its views.
@Observable
final class ClientModel<State, Action> {
  var store: Store<State, Action>?
}

/// The screen of a client: the status bar, the view of the store, and the help line.
struct ClientFrame<App: TerminalApp>: TerminalView {
  let app: App
  let model: ClientModel<App.Feature.State, App.Feature.Action>
  let status: ConnectionStatus

  var body: some TerminalView {
    ScreenLayout(title: StatusBar(status), content: ClientContent(app: app, model: model, status: status))
  }
}

private struct ClientContent<App: TerminalApp>: TerminalView {
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
