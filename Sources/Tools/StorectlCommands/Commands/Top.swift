internal import EventLoop
internal import Glibc
internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import Terminal
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let top = Self(
    "top", "show the activity of the hub, continuously",
    options: [
      .init("interval", short: "i", argument: "TIME", "the time between two updates; default 1s"),
      .init("count", short: "n", argument: "N", "end after N updates"),
    ],
    details: [
      .text(
        """
        Shows actions per second, also of each client and user, response times, clients, the parts with subscribers, what the views of the feature have cost, and queues: frames that are \
        incomplete or unread, and turns that wait for the journal. Prints lines if the output is not a terminal. Needs \
        the right to read the hub's own state.
        """
      )
    ])
}

extension Tool {
  func top() async throws(ToolFailure) {
    let hub = try await connect(isWatched: true)
    let clients = try await hub.subscribe(to: [], of: .hub)
    var rates = SenderRates()
    var followed: TypedMirror<HubMetrics>?
    let metrics = hub.followMetrics { [loop] in
      if let part = followed?.part { rates.take(part, at: loop.preciseNow) }
    }
    followed = metrics
    let interval = (try? options.duration("interval", default: .seconds(1))) ?? .seconds(1)
    let count = options.string("count").flatMap { Int($0) } ?? .max
    let screen = !isJSON && output.isTerminal ? try? TopScreen(loop, onQuit: { hub.fail(.done, "") }) : nil
    defer { screen?.close() }
    var history = History()
    var last = (time: loop.preciseNow, revision: try await hub.ping().revision)
    do throws(ToolFailure) {
      for index in 0..<count {
        var latencies: [Duration] = []
        for _ in 0..<5 {
          try await hub.sleep(interval / 5)
          latencies.append(try await hub.ping().latency)
        }
        let (now, revision) = (loop.preciseNow, try await hub.ping().revision)
        rates.rest(at: now)
        let sample = Sample(
          revision: revision, seconds: (now - last.time) / .seconds(1), previous: last.revision,
          latencies: latencies.sorted(), clients: Attendees(clients.mirror.value).all, metrics: metrics.part,
          rates: rates)
        last = (now, revision)
        history.append(sample)
        if let screen {
          screen.draw(history, hubName: hub.hubName, path: path)
        } else if isJSON {
          print(sample.json)
        } else {
          if index == 0 { output.line(palette.strong(Sample.head)) }
          output.line(sample.line)
        }
      }
    } catch {
      if error.status == .done { return }
      screen?.close()
      throw error
    }
  }
}

/// The measurements of one interval.
struct Sample {
  let revision: UInt64
  let seconds: Double
  /// The revision at the beginning of the interval.
  let previous: UInt64
  /// The latencies in ascending order.
  let latencies: [Duration]
  let clients: [Attendee]
  /// The hub's metrics, at most a second old; nil until they have arrived.
  let metrics: HubMetrics?
  /// The actions per second of clients and users, at most a few seconds old.
  let rates: SenderRates

  /// The number of actions per second. A defective hub may also state a lower revision than before.
  var rate: Double { seconds > 0 ? Double(revision - min(previous, revision)) / seconds : 0 }
  var median: Duration { latencies[latencies.count / 2] }
  var slowest: Duration { latencies[latencies.count - 1] }

  var json: JSONValue {
    [
      "revision": .integer(revision), "actionsPerSecond": .integer(rate.nearestInteger),
      "latencyMicroseconds": .integer(median.microseconds), "slowestMicroseconds": .integer(slowest.microseconds),
      "clients": .integer(clients.count), "scopes": metrics.map { .integer($0.subscriptions) } ?? .null,
      "heldBytes": metrics.map { .integer($0.heldBytes) } ?? .null,
      "unstoredTurns": metrics.map { .integer($0.unstoredTurns) } ?? .null,
      "cluster": metrics?.cluster?.json ?? .null,
      "senders": .array(senders.map { $0.json(rates) }), "users": rates.json(ofUsersOf: clients),
      "views": .array((metrics?.views ?? []).map(\.json)),
    ]
  }

  /// The clients that send actions, those with the most per second first.
  var senders: [Attendee] {
    clients.filter { rates.rates[$0.id] != nil }.sorted {
      (rates.rates[$1.id] ?? 0, $0.id) < (rates.rates[$0.id] ?? 0, $1.id)
    }
  }

  static let head = row("REVISION", "ACTIONS/S", "LATENCY", "SLOWEST", "CLIENTS", "SCOPES", "HELD", "UNSTORED")

  var line: String {
    func figure(_ name: KeyPath<HubMetrics, UInt64>) -> String { metrics.map { "\($0[keyPath: name])" } ?? "-" }
    return Self.row(
      "\(revision)", "\(rate.nearestInteger)", median.inMilliseconds, slowest.inMilliseconds, "\(clients.count)",
      figure(\.subscriptions), figure(\.heldBytes), figure(\.unstoredTurns))
  }

  private static func row(_ cells: String...) -> String {
    zip(cells, [10, 10, 9, 9, 8, 7, 9, 9]).map { cell, width in
      String(repeating: " ", count: max(0, width - cell.count)) + cell
    }.joined(separator: " ")
  }
}

/// The last samples, as many as a wide terminal can show.
struct History {
  private(set) var samples: [Sample] = []

  mutating func append(_ sample: Sample) {
    samples.append(sample)
    if samples.count > 512 { samples.removeFirst() }
  }

  /// Draws the newest values, one per column, the newest last.
  static func sparkline(_ values: [Double], columns: Int, isUnicode: Bool) -> String {
    let steps = Array(isUnicode ? "▁▂▃▄▅▆▇█" : "_.-=+*#@")
    let shown = values.suffix(max(columns, 0))
    let top = shown.max() ?? 0
    return String(shown.map { top > 0 ? steps[min(Int($0 / top * Double(steps.count)), steps.count - 1)] : steps[0] })
  }
}

/// The terminal screen of `storectl top`.
final class TopScreen {
  private let terminal: Terminal
  private var keys: Poll?
  private var signals: [SignalWatch] = []
  private var redraw: (() -> Void)?
  private let isUnicode = String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8"

  init(_ loop: EventLoop, onQuit: @escaping () -> Void) throws {
    terminal = try Terminal()
    let keys = try Poll(on: loop, descriptor: terminal.inputDescriptor) { [weak self] events in
      guard let self, case .success = events else { return onQuit() }
      _ = terminal.readKeys { key in
        if key == .character("q") || key == .escape || key == .control("c") { onQuit() }
        if key == .control("z") { terminal.requestStop() }
      }
    }
    try keys.start(.readable)
    self.keys = consume keys
    let changes: [(CInt, (Terminal) -> Void)] = [
      (SIGWINCH, { $0.resized() }), (SIGTSTP, { $0.suspend() }), (SIGCONT, { $0.resumed() }),
    ]
    for (number, change) in changes {
      signals.append(
        try SignalWatch(on: loop, number) { [weak self] in
          guard let self else { return }
          change(terminal)
          redraw?()
        })
    }
    signals.append(try SignalWatch(on: loop, SIGQUIT, onQuit))
  }

  func close() {
    keys = nil
    signals = []
    redraw = nil
    terminal.close()
  }

  func draw(_ history: History, hubName: String, path: String) {
    redraw = { [weak self] in
      self?.terminal.draw { self?.draw(history, hubName, path, on: &$0) }
    }
    redraw?()
  }

  private func draw(_ history: History, _ hubName: String, _ path: String, on canvas: inout any Canvas) {
    guard let now = history.samples.last else { return }
    let columns = canvas.size.columns
    // The last row is for the keys.
    let end = canvas.size.rows - 1
    canvas.text(0, 0, "\(hubName)  \(path)  revision \(now.revision)", Style(bold: true))
    if let cluster = now.metrics?.cluster, end > 1 {
      canvas.text(1, 0, cluster.text, cluster.staleSince > 0 ? Style(.red) : Style(dim: true))
    }
    let rates = history.samples.map(\.rate)
    let latencies = history.samples.map { Double($0.median.microseconds) }
    let held = history.samples.map { Double($0.metrics?.heldBytes ?? 0) }
    let rows: [(String, String, [Double], Style.Color)] = [
      ("actions/s", "\(now.rate.nearestInteger)", rates, .green),
      ("latency", now.median.inMilliseconds, latencies, .cyan),
      ("queues", now.metrics.map { Figures.bytes($0.heldBytes) } ?? "", held, .yellow),
    ]
    for (index, (name, value, values, color)) in rows.enumerated() where 2 + index < end {
      let row = 2 + index
      canvas.text(row, 0, name, Style(dim: true))
      canvas.text(
        row, 10, String(repeating: " ", count: max(0, min(12, columns - 10) - value.count)) + value, Style(bold: true))
      let line = History.sparkline(values, columns: columns - 24, isUnicode: isUnicode)
      canvas.text(row, 24, line, Style(color))
    }
    var summary = counted(now.clients.count, "client")
    if let metrics = now.metrics {
      summary += ", \(counted(metrics.subscriptions, "scope")); "
      summary += metrics.unstoredTurns == 0 ? "nothing waits" : "\(counted(metrics.unstoredTurns, "turn")) wait"
      summary += " for the journal"
    }
    if end > 6 { canvas.text(6, 0, summary, Style(dim: true)) }
    // The scopes have at most a third of the room.
    let room = max(canvas.size.rows - 9, 0)
    let places = now.metrics?.places.prefix(max(room / 3 - 2, 0)) ?? []
    let users = now.rates.users(of: now.clients).count > 1 ? now.clients : []
    let userRows = users.isEmpty ? 0 : min(now.rates.users(of: users).count, max(room / 4 - 2, 0))
    let rest = room - (places.isEmpty ? 0 : places.count + 2) - (userRows == 0 ? 0 : userRows + 2)
    // The busiest clients first; the others in the order in which they came.
    let idle = now.clients.filter { now.rates.rates[$0.id] == nil }
    let clients = (now.senders + idle).prefix(max(rest, 0))
    var tables = [Attendees.table(Array(clients), Palette(isOn: false), width: columns, rates: now.rates)]
    if userRows > 0 {
      let table = Attendees.userTable(users, Palette(isOn: false), now.rates, width: columns)
      tables.append(Array(table.prefix(1 + userRows)))
    }
    if !places.isEmpty { tables.append(SubscribedPlace.table(Array(places), Palette(isOn: false), width: columns)) }
    if let views = now.metrics?.views, !views.isEmpty {
      tables.append(ViewFigures.table(views, Palette(isOn: false), width: columns))
    }
    var row = 7
    for table in tables {
      for (index, line) in table.enumerated() where row < end {
        canvas.text(row, 0, line, index == 0 ? Style(bold: true) : .plain)
        row += 1
      }
      row += 1
    }
    canvas.text(end, 0, "q quit", Style(dim: true))
  }
}
