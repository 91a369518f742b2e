internal import Glibc
internal import JSONParser
internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension Tool {
  /// The number of sent actions without an outcome after which no further line is read.
  private static let linesInFlight = 256

  /// Runs `send -`: sends the actions on the lines of standard input, and prints their outcomes in order.
  func sendLines() async throws(ToolFailure) {
    let hub = try await connect(isWatched: true)
    let outcomes = LineOutcomes(self)
    hub.onTurn = { outcomes.report() }
    defer { hub.onTurn = nil }
    let schema = hub.schema(of: .feature)
    var (input, isEmpty) = (LineInput(), true)
    do throws(ToolFailure) {
      while true {
        let data = try await onAnotherThread { () in LineInput.read() }.get()
        for line in try input.lines(in: data) {
          if line.isBlank { continue }
          isEmpty = false
          do throws(ToolFailure) {
            outcomes.add(line.number, .success(try hub.send(try action(on: line, schema))))
          } catch {
            if let failure = hub.failure { throw failure }
            outcomes.add(line.number, .failure(error))
          }
          // The loop sends them, and receives outcomes, while a long input is read.
          await breaks.takeIfDue()
          if outcomes.waitingCount >= Self.linesInFlight {
            try await hub.wait { outcomes.waitingCount < Self.linesInFlight / 2 }
          }
        }
        try checkInterruption()
        if data.isEmpty { break }
      }
      while outcomes.waitingCount > 0 {
        let count = outcomes.waitingCount
        try await hub.wait { outcomes.waitingCount < count }
      }
    } catch {
      outcomes.report()
      let rest = outcomes.abandon()
      let advice = rest == 0 ? "" : "; \(counted(rest, "action")) may have taken effect"
      throw ToolFailure(error.status, error.reason + (error.status == .done ? "" : advice))
    }
    outcomes.report()
    if let failure = outcomes.failure { throw ToolFailure(failure, "") }
    if isEmpty { note("standard input has no actions, so none was sent") }
  }

  private func action(on line: LineInput.Line, _ schema: Schema) throws(ToolFailure) -> CBORValue {
    // A repaired text would be stored as one that nobody has sent.
    guard let text = line.text else { throw ToolFailure(.unknownName, "this is not UTF-8") }
    let action: CBORValue
    do { action = try schema.action([], [try JSONValue(parsing: text)]) } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
    try Self.checkReading(of: action, schema)
    return action
  }
}

/// The lines of standard input.
nonisolated struct LineInput {
  /// A line without its end.
  struct Line {
    let number: Int
    let bytes: [UInt8]
    /// True if it has nothing but the white space of JSON.
    var isBlank: Bool { bytes.allSatisfy { [0x20, 0x09, 0x0d].contains($0) } }
    /// Nil if it is not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }
  }

  private var rest: [UInt8] = []
  private var count = 0
  private static let limit = 16 << 20

  /// Waits for input, and returns it; nothing at its end. An input that is closed or a directory is a failure.
  static func read() -> Result<[UInt8], ToolFailure> {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count >= 0 { return .success(Array(buffer[..<count])) }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Another process that shares the description may have set this mode.
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = poll(&input, 1, -1)
      default:
        let reason = String(cString: strerror(errno))
        return .failure(ToolFailure(.failed, "cannot read standard input: \(reason)"))
      }
    }
  }

  /// Returns the lines that the next bytes complete; no bytes are the end of the input.
  mutating func lines(in data: [UInt8]) throws(ToolFailure) -> [Line] {
    var lines: [Line] = []
    for part in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      // All but the first part follow the end of a line.
      if part.startIndex > 0 { lines.append(take()) }
      rest += part
    }
    if data.isEmpty, !rest.isEmpty { lines.append(take()) }
    guard rest.count <= Self.limit else { throw ToolFailure(.usage, "line \(count + 1) has more than 16 MiB") }
    return lines
  }

  private mutating func take() -> Line {
    count += 1
    defer { rest = [] }
    return Line(number: count, bytes: rest)
  }
}

/// The outcomes of the actions on lines, which are printed in order.
private final class LineOutcomes {
  private let tool: Tool
  private var entries: [(line: Int, sent: Result<HubConnection.Sent, ToolFailure>)] = []
  private var first = 0
  /// The status of the first action that failed.
  private(set) var failure: ExitStatus?

  init(_ tool: Tool) { self.tool = tool }

  /// The number of actions whose outcome was not printed.
  var waitingCount: Int { entries.count - first }

  func add(_ line: Int, _ sent: Result<HubConnection.Sent, ToolFailure>) {
    entries.append((line, sent))
    report()
  }

  /// Prints the outcomes that are known, up to the first unknown one.
  func report() {
    while first < entries.count {
      let (line, sent) = entries[first]
      switch sent {
      case .failure(let failure): print(line, failure)
      case .success(let sent):
        guard let outcome = sent.outcome else { return }
        switch outcome {
        case .success(let revision): print(line, revision)
        case .failure(let error): print(line, HubConnection.failure(error))
        }
      }
      first += 1
      if first == entries.count { (entries, first) = ([], 0) }
    }
  }

  /// Forgets the actions whose outcome is unknown, and returns their number.
  func abandon() -> Int {
    defer { (entries, first) = ([], 0) }
    return waitingCount
  }

  private func print(_ line: Int, _ revision: UInt64) {
    tool.effect = "actions up to line \(line) took effect"
    if tool.isJSON {
      return tool.print(["line": .integer(line), "applied": .bool(true), "revision": .integer(revision)])
    }
    tool.output.line("\(line): applied by revision \(revision)")
  }

  private func print(_ line: Int, _ failure: ToolFailure) {
    self.failure = self.failure ?? failure.status
    if tool.isJSON {
      return tool.print([
        "line": .integer(line), "applied": .bool(false), "status": .integer(failure.status.rawValue),
        "reason": .string(failure.reason),
      ])
    }
    tool.output.line("\(line): \(tool.palette.bad("failed")): \(ValueText.safe(failure.reason))")
  }
}
