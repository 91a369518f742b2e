internal import TerminalApp
package import TerminalUI

/// The screens of a hub of the sample features.
package struct ScreensView: TerminalView {
  private let model: TerminalModel

  /// Creates the view of a terminal.
  package init(_ model: TerminalModel) { self.model = model }

  package var body: some TerminalView {
    let (model, status) = (model, model.status)
    if model.hasParts {
      Column {
        Tabs(selection: model.tab) {
          for screen in model.screens { Tab("\(screen)") { content(of: screen) } }
        }
        .expanded()
        PositionRule()
      }
      // What is shown may be old.
      .style { Style(dim: status.isStale) }
    } else {
      WaitingView(status)
    }
  }

  @TerminalViewBuilder private func content(of screen: TerminalModel.Screen) -> some TerminalView {
    let (model, status) = (model, model.status)
    switch screen {
    case .counter: PartScreen(part: model.counter, status: status) { CounterView(store: $0, status: status) }
    case .todos:
      PartScreen(part: model.todos, status: status) {
        TodosView(store: $0, part: model.todos, model: model.todoList, status: status)
      }
    case .favourites: PartScreen(part: model.favourites, status: status) { FavouritesView(store: $0, status: status) }
    case .presence:
      if let attendees = model.attendees { PresenceView(store: attendees, ownProcess: model.ownProcess) }
    case .activity: if let activity = model.activity { ActivityView(model: activity) }
    }
  }
}

/// The line above a list that summarises it, where there is room for that.
struct ListHeading: TerminalView {
  let summary: String
  var right = Text("")

  var body: some TerminalView {
    Row {
      Text(summary).color(.yellow)
      Spacer()
      right.lineLimit(1)
    }
    .visible(fromRows: 7)
    Text("").visible(fromRows: 12)
  }
}
