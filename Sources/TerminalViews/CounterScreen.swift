public import Features
public import ReplicaCore
public import Terminal

/// What a person sees of the shared counter, and what the keys do.
public nonisolated struct CounterScreen {
  /// The counter, or nil before the hub has sent it.
  public var counter: Counter.State?
  /// How this terminal stands with the hub.
  public var connection: ConnectionState
  /// The hub's socket.
  public var path: String
  /// The client's time, by which `connection` says since when the state is old.
  public var now: Duration

  /// Creates a screen.
  public init(counter: Counter.State?, connection: ConnectionState, path: String, now: Duration) {
    (self.counter, self.connection, self.path, self.now) = (counter, connection, path, now)
  }

  /// Draws the screen. Every part has its own rows, so that nothing jumps when another part changes.
  public func draw(on canvas: inout some Canvas) {
    drawTitle(on: &canvas)
    if let counter { draw(counter, on: &canvas) } else { drawAbsence(on: &canvas) }
    drawKeys(on: &canvas)
    if let alert = counter?.factAlert { draw(alert, on: &canvas) }
  }

  private func drawTitle(on canvas: inout some Canvas) {
    let (words, style) = status
    let name = "StoreHub  "
    canvas.text(0, 0, name, Style(bold: true))
    let room = canvas.size.columns - name.count
    // When it is narrow, how things stand matters more than where.
    let place = TextWidth.columns(of: path) + 2 + TextWidth.columns(of: words) <= room ? path + "  " : ""
    canvas.text(0, name.count, place, Style(dim: true))
    canvas.text(0, name.count + TextWidth.columns(of: place), words, style)
    canvas.rule(1)
  }

  /// How things stand, in words.
  var status: (words: String, style: Style) {
    switch connection {
    case .connecting(let attempt, _) where attempt <= 1:
      return ("connecting …", Style(.yellow))
    case .connecting(let attempt, _):
      return ("no hub yet, attempt \(attempt)", Style(.yellow))
    case .live:
      return ("live", Style(.green, bold: true))
    case .stale(let since, let attempt, _):
      let age = max((now - since).components.seconds, 0)
      let attempts = attempt > 1 ? ", attempt \(attempt)" : ""
      return ("hub away, this is \(age) s old; reconnecting\(attempts)", Style(.red, bold: true))
    case .refused(let reason):
      return ("refused: \(reason)", Style(.red, bold: true))
    case .closed:
      return ("closed", Style(dim: true))
    }
  }

  private func draw(_ counter: Counter.State, on canvas: inout some Canvas) {
    let isOld = if case .live = connection { false } else { true }
    let rows = canvas.size.rows
    let countRow = max(min(rows / 2 - 3, rows - 6), 2)
    canvas.centered(countRow, "\(counter.count)", Style(.cyan, bold: true, dim: isOld))
    canvas.centered(countRow + 1, counter.isTimerOn ? "the timer counts every second" : "", Style(.yellow, dim: isOld))
    let text = counter.isLoadingFact ? "looking for a fact …" : counter.numberFact ?? ""
    let lines = TextWidth.wrap(text, columns: min(canvas.size.columns - 4, 60))
    for (index, line) in lines.prefix(max(rows - countRow - 5, 1)).enumerated() {
      canvas.centered(countRow + 3 + index, line, Style(dim: isOld || counter.isLoadingFact))
    }
  }

  private func drawAbsence(on canvas: inout some Canvas) {
    let row = max(canvas.size.rows / 2 - 3, 2)
    canvas.centered(row, "waiting for the hub")
    guard case .connecting(_, let failure?) = connection else { return }
    for (index, line) in TextWidth.wrap(failure, columns: canvas.size.columns - 4).prefix(3).enumerated() {
      canvas.centered(row + 2 + index, line, Style(dim: true))
    }
  }

  private func draw(_ alert: FactAlert, on canvas: inout some Canvas) {
    let lines = TextWidth.wrap(alert.title, columns: min(canvas.size.columns - 6, 50))
    canvas.box(
      lines.prefix(max(canvas.size.rows - 5, 1)) + ["", "d dismisses this"], title: "No fact", Style(.red, bold: true))
  }

  private func drawKeys(on canvas: inout some Canvas) {
    guard canvas.size.rows > 4 else { return }
    canvas.rule(canvas.size.rows - 2)
    let all = "+ up   - down   f fact   t timer   d dismiss   q quit"
    let short = "+ - f t d  q quit"
    canvas.text(
      canvas.size.rows - 1, 0, TextWidth.columns(of: all) <= canvas.size.columns ? all : short, Style(dim: true))
  }
}

nonisolated extension CounterScreen {
  /// What a key asks for.
  public nonisolated enum Intent: Equatable, Sendable {
    /// To send an action.
    case send(Counter.Action)
    /// To leave.
    case quit
  }

  /// What a key means, if anything.
  public static func intent(of key: Key) -> Intent? {
    switch key {
    case .character("+"), .character("="), .up: .send(.incrementButtonTapped)
    case .character("-"), .down: .send(.decrementButtonTapped)
    case .character("f"): .send(.numberFactButtonTapped)
    case .character("t"): .send(.toggleTimerButtonTapped)
    case .character("d"), .escape: .send(.factAlertDismissed)
    case .character("q"), .control("c"), .control("d"): .quit
    default: nil
    }
  }
}
