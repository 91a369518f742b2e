internal import Glibc
internal import JSONText
internal import ServiceManager

/// The destination of log lines: the journal with its fields, or a descriptor.
final class LogOutput {
  private enum Target {
    case journal(JournalWriter)
    /// Lines that begin with the number of their level, for a service manager.
    case numbered
    /// Lines that begin with the names of the program and the level, for people.
    case named
  }

  private let program: String
  private let descriptor: CInt
  private let target: Target
  private var droppedCount = 0

  init(program: String, descriptor: CInt) {
    (self.program, self.descriptor) = (program, descriptor)
    if let journal = JournalWriter(insteadOf: descriptor) {
      target = .journal(journal)
    } else if JournalWriter.isRead(descriptor) || ServiceManager().isPresent && !Self.isFileOrTerminal(descriptor) {
      target = .numbered
    } else {
      target = .named
    }
  }

  /// Returns true for a file or a terminal, which people read, whatever process started this one.
  private static func isFileOrTerminal(_ descriptor: CInt) -> Bool {
    var status = stat()
    return isatty(descriptor) == 1 || fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Writes a line, or counts it if it cannot be written now.
  func deliver(_ level: Log.Level, _ text: String, _ details: Log.Details) {
    if droppedCount > 0, put(.warning, "\(droppedCount) log lines were dropped: nothing read them", Log.Details()) {
      droppedCount = 0
    }
    if droppedCount > 0 || !put(level, text, details) { droppedCount += 1 }
  }

  /// Waits up to a second for the journal.
  func flush() {
    if case .journal(let journal) = target { journal.flush(within: .seconds(1)) }
  }

  private func put(_ level: Log.Level, _ text: String, _ details: Log.Details) -> Bool {
    switch target {
    case .journal(let journal): return journal.send(record(level, text, details))
    case .numbered: return put(line: "<\(level.priority)>" + text)
    case .named: return put(line: "\(program): \(level): " + text)
    }
  }

  private func record(_ level: Log.Level, _ text: String, _ details: Log.Details) -> [JournalWriter.Field] {
    var fields: [JournalWriter.Field] = [
      ("MESSAGE", text), ("PRIORITY", "\(level.priority)"), ("SYSLOG_IDENTIFIER", program),
    ]
    if let id = details.id { fields.append(("MESSAGE_ID", id.rawValue)) }
    for (name, value) in details.fields where !value.isEmpty { fields.append(("STOREHUB_\(name)", value)) }
    return fields
  }

  private func put(line text: String) -> Bool {
    // A pipe that poll(2) reports as writable accepts PIPE_BUF bytes at once, so a line of that size does not block.
    let line = Array(text.printableLine.utf8.prefix(Int(PIPE_BUF) - 1)) + [UInt8(ascii: "\n")]
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1, poll.revents & Int16(POLLOUT) != 0 else { return false }
    return Glibc.write(descriptor, line, line.count) == line.count
  }
}
