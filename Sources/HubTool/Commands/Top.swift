internal import EventLoop
internal import Glibc
internal import ProgramOptions
internal import ReplicaCore
internal import Terminal
internal import Wire

extension Tool {
  func top() async throws(ToolFailure) {
    let hub = try await connect(isWatched: true)
    let clients = try await hub.subscribe(to: [], of: .hub)
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
        let sample = Sample(
          revision: revision, seconds: (now - last.time) / .seconds(1), actions: revision - last.revision,
          latencies: latencies.sorted(), clients: Attendees(clients.mirror.value).all)
        last = (now, revision)
        history.append(sample)
        if let screen {
          screen.draw(history, hubName: hub.hubName, path: path)
        } else if isJSON {
          print(sample.json)
        } else {
          if index == 0 { output.line(palette.strong("   REVISION  ACTIONS/S    LATENCY     SLOWEST  CLIENTS")) }
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
  let actions: UInt64
  /// The latencies in ascending order.
  let latencies: [Duration]
  let clients: [Attendee]

  var rate: Double { seconds > 0 ? Double(actions) / seconds : 0 }
  var median: Duration { latencies[latencies.count / 2] }
  var slowest: Duration { latencies[latencies.count - 1] }

  var json: JSONValue {
    [
      "revision": .integer(revision), "actionsPerSecond": .integer(Int64(rate.rounded())),
      "latencyMicroseconds": .integer(median.microseconds), "slowestMicroseconds": .integer(slowest.microseconds),
      "clients": .integer(clients.count),
    ]
  }

  var line: String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return right("\(revision)", 11) + right("\(Int64(rate.rounded()))", 11) + right(median.inMilliseconds, 11)
      + right(slowest.inMilliseconds, 12) + right("\(clients.count)", 9)
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
  private var resize: Signal?
  private var redraw: (() -> Void)?
  private let isUnicode = String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8"

  init(_ loop: EventLoop, onQuit: @escaping () -> Void) throws {
    terminal = try Terminal()
    let keys = try Poll(on: loop, descriptor: terminal.inputDescriptor) { [weak self] events in
      guard let self, case .success = events else { return onQuit() }
      _ = terminal.readKeys { key in
        if key == .character("q") || key == .escape || key == .control("c") { onQuit() }
      }
    }
    try keys.start(.readable)
    self.keys = consume keys
    resize = try Signal(on: loop, SIGWINCH) { [weak self] in
      self?.terminal.resized()
      self?.redraw?()
    }
  }

  func close() {
    keys = nil
    resize = nil
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
    canvas.text(0, 0, "\(hubName)  \(path)  revision \(now.revision)", Style(bold: true))
    let rates = history.samples.map(\.rate)
    let latencies = history.samples.map { Double($0.median.microseconds) }
    let rows: [(String, String, [Double], Style.Color)] = [
      ("actions/s", "\(Int64(now.rate.rounded()))", rates, .green),
      ("latency", now.median.inMilliseconds, latencies, .cyan),
    ]
    for (index, (name, value, values, color)) in rows.enumerated() {
      let row = 2 + index
      canvas.text(row, 0, name, Style(dim: true))
      canvas.text(row, 10, String(repeating: " ", count: max(0, 12 - value.count)) + value, Style(bold: true))
      let line = History.sparkline(values, columns: columns - 24, isUnicode: isUnicode)
      canvas.text(row, 24, line, Style(color))
    }
    canvas.text(5, 0, now.clients.count == 1 ? "1 client" : "\(now.clients.count) clients", Style(dim: true))
    let room = canvas.size.rows - 8
    let table = Attendees.table(Array(now.clients.prefix(max(room, 0))), Palette(isOn: false), width: columns)
    for (index, line) in table.enumerated() where 6 + index < canvas.size.rows - 1 {
      canvas.text(6 + index, 0, line, index == 0 ? Style(bold: true) : .plain)
    }
    canvas.text(canvas.size.rows - 1, 0, "q quit", Style(dim: true))
  }
}
