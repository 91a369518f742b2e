internal import ComposableCore
internal import Features
internal import TerminalApp
internal import TerminalUI

/// The shared counter. Every part has its own rows, so that nothing jumps when another part changes.
struct CounterView: TerminalView {
  let store: StoreOf<Counter>
  let status: ConnectionStatus

  var body: some TerminalView {
    let store = store
    Column {
      Spacer()
      Text("\(store.count)").style(Style(.cyan, bold: true, dim: isPending)).aligned(.center)
      Text(store.isTimerOn ? "the timer counts every second" : "").color(.yellow).aligned(.center)
      Paragraph(store.isLoadingFact ? "loading a fact …" : store.numberFact ?? "", isDim: store.isLoadingFact)
    }
    .keys([
      KeyBinding("+", "up", also: "= up", help: "count up") { store.send(.incrementButtonTapped) },
      KeyBinding("-", "down", also: "down", help: "count down") { store.send(.decrementButtonTapped) },
      KeyBinding("f", "fact", help: "a fact about the number") { store.send(.numberFactButtonTapped) },
      KeyBinding("t", "timer", help: "start or stop the timer") { store.send(.toggleTimerButtonTapped) },
    ])
    .alert(store.factAlert?.alert) { _ in store.send(.factAlertDismissed) }
  }

  private var isPending: Bool { status.pendingMarks.contains(PendingMark.screen(.counter)) }
}

/// Text in the middle of the rows that are left, below an empty one.
struct Paragraph: TerminalView {
  let text: String
  let isDim: Bool

  init(_ text: String, isDim: Bool) { (self.text, self.isDim) = (text, isDim) }

  var body: some TerminalView {
    let (text, isDim) = (text, isDim)
    Drawing { canvas in canvas.paragraph(text, in: 1..<max(canvas.size.rows, 1), Style(dim: isDim)) }
  }
}

extension FactAlert {
  fileprivate var alert: AlertState<Never> {
    AlertState {
      TextState("No fact")
    } actions: {
      ButtonState(role: .cancel) { TextState("Dismiss") }
    } message: {
      TextState(title)
    }
  }
}
