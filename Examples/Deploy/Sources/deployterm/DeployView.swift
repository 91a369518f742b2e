import Deploy
import Foundation
import TerminalApp

/// The screen: the queue and the history as tabs, with the form and the questions over them.
struct DeployView: TerminalView {
  let store: StoreOf<Deploy>
  let desk: StoreOf<Desk>

  var body: some TerminalView {
    Tabs {
      Tab("Queue") { QueueView(store: store, desk: desk) }
      Tab("History") { HistoryView(store: store, desk: desk) }
    }
    .key("n", "new") { desk.isFormOpen = true }
    .sheet(isPresented: desk.binding(\.isFormOpen), title: "New job") { NewJobForm(desk: desk) }
    .alert(desk, state: \.alert, action: \.alert)
  }
}

/// The jobs that have not ended.
struct QueueView: TerminalView {
  let store: StoreOf<Deploy>
  let desk: StoreOf<Desk>

  var body: some TerminalView {
    let now = desk.now
    Column {
      Text(summary).bold()
      Table(store.jobs) {
        TableColumn("#", alignment: .trailing) { "\($0.id)" }
        TableColumn("Service", width: .flexible(minimum: 8)) { $0.service }
        TableColumn("Version") { $0.version }
        TableColumn("For") { Cell("\($0.environment)", bold: $0.environment == .production) }
        TableColumn("State") { Cell("\($0.stage)", color: $0.stage.color) }
        TableColumn("Done", width: .fixed(13)) { Cell($0.bar, dim: $0.stage != .running) }
        TableColumn("Age", alignment: .trailing) { Cell($0.age(at: now)) }
        TableColumn("Note", width: .flexible(minimum: 4)) { Cell($0.note, dim: true) }
      }
      .rowKey("a", "approve") { id in
        if let job = store.jobs[id: id] { desk.send(.approveButtonTapped(job)) }
      }
      .rowKey("c", "cancel") { id in
        if let job = store.jobs[id: id] { desk.send(.cancelButtonTapped(job)) }
      }
      .empty("no job; n submits one")
      .searchable()
    }
  }

  private var summary: String {
    func count(_ stage: Job.Stage) -> Int { store.jobs.reduce(0) { $0 + ($1.stage == stage ? 1 : 0) } }
    return "\(count(.running)) running, \(count(.queued)) queued, \(count(.waiting)) waiting for approval"
  }
}

/// The jobs that have ended.
struct HistoryView: TerminalView {
  let store: StoreOf<Deploy>
  let desk: StoreOf<Desk>

  var body: some TerminalView {
    let now = desk.now
    Table(store.history) {
      TableColumn("#", alignment: .trailing) { "\($0.id)" }
      TableColumn("Service", width: .flexible(minimum: 8)) { $0.service }
      TableColumn("Version") { $0.version }
      TableColumn("For") { "\($0.environment)" }
      TableColumn("Outcome") { Cell("\($0.stage)", color: $0.stage.color) }
      TableColumn("Took", alignment: .trailing) { Cell($0.age(at: $0.ended ?? now)) }
      TableColumn("Note", width: .flexible(minimum: 4)) { Cell($0.note, dim: true) }
    }
    .rowKey("r", "repeat") { desk.send(.repeatButtonTapped($0)) }
    .empty("no job has ended")
    .searchable()
  }
}

/// The form for a new job.
struct NewJobForm: TerminalView {
  let desk: StoreOf<Desk>

  var body: some TerminalView {
    Form {
      Field("Service", error: desk.refusal) { TextField("web", text: desk.binding(\.service)) }
      Field("Version") { TextField("1.2", text: desk.binding(\.version)) }
      Field("For", help: "production needs an approval") { Picker(selection: desk.binding(\.environment)) }
      Button("Submit", isEnabled: !desk.service.isEmpty && !desk.version.isEmpty) { desk.send(.submitButtonTapped) }
    }
  }
}

extension Job {
  /// The time since it was submitted.
  func age(at time: Date) -> Duration {
    .seconds(max(time.timeIntervalSince(submitted), 0).rounded(.down))
  }

  /// Its progress as a bar with a percentage.
  var bar: String {
    guard stage == .running else { return "" }
    let done = progress * 8 / 100
    return String(repeating: "█", count: done) + String(repeating: "░", count: 8 - done) + " \(progress)%"
  }
}

extension Job.Stage {
  var color: Style.Color {
    switch self {
    case .waiting: .yellow
    case .queued: .standard
    case .running: .cyan
    case .succeeded: .green
    case .failed: .red
    case .cancelled: .blue
    }
  }
}
