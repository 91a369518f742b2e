internal import ComposableCore
internal import TerminalUI
internal import TurnLog

/// The actions in the hub's journal and the users that sent them. The last one is selected until the user selects another.
struct ActivityView: TerminalView {
  let model: ActivityModel

  var body: some TerminalView {
    let model = model
    Column {
      ListHeading(
        summary: model.summary,
        right: Text(model.filterText.isEmpty ? "" : "filter: \(model.filterText)").color(.cyan).bold())
      table
      if model.isWriting {
        FilterLine(model: model)
      }
    }
    .details(model.details?.box) { model.details = nil }
    .message(model.message)
  }

  private var table: some TerminalView {
    let (model, today) = (model, LocalTime(milliseconds: model.now).day)
    return Table(model.entries) {
      TableColumn("Time") { entry in
        let time = LocalTime(milliseconds: entry.time)
        return Cell(time.day == today ? time.clock : "\(time.day) \(time.clock)")
      }
      .visible(fromColumns: 50)
      .unsearched()
      TableColumn("Sender") { $0.who }
      TableColumn("Action", width: .flexible(minimum: 12)) { $0.what }
    }
    .hidesHeader()
    .followsEnd()
    .rowKey("enter", "details", help: "who sent an action, when, and what it changed") { model.onDetails?($0) }
    .rowKey("-", "hide these", help: "hide all actions with the name of the chosen one") { model.exclude($0) }
    .searchable()
    .highlighted(model.filter.words)
    .empty(model.emptyText)
    .key("f", "filter", help: "all words must occur; those with a minus must not, as in -timerTicked") {
      model.isWriting = true
    }
    .key("esc", "", help: "show all actions again", isEnabled: !model.filterText.isEmpty) { model.filterText = "" }
  }
}

/// The filter while it is being written.
private struct FilterLine: TerminalView {
  let model: ActivityModel

  var body: some TerminalView {
    let model = model
    Row(spacing: 0) {
      Text("filter: ").color(.cyan).bold()
      TextField(
        "-word hides actions with the word",
        text: StoreBinding {
          model.filterText
        } set: {
          model.filterText = $0
        }
      )
      .onSubmit("done") { model.isWriting = false }
    }
    .key("esc", "show all") { (model.isWriting, model.filterText) = (false, "") }
    .modal()
  }
}
