internal import CSystemd
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Sends records with fields to systemd's journal, in order and without blocking.
///
/// libsystemd blocks while the journal's socket is full, so the records go through a separate queue of at most `limit`
/// records.
package final class JournalWriter: Sendable {
  /// A field of a record: a name of capital letters, digits and underscores, and its value.
  package typealias Field = (name: String, value: String)

  /// The maximum number of waiting records.
  package static let limit = 1024

  private let queue = DispatchQueue(label: "journal")
  private let waitingCount = Mutex(0)

  /// Creates a writer if a descriptor is connected to the journal, according to `JOURNAL_STREAM` (systemd.exec(5)), and
  /// the journal can be reached.
  package init?(insteadOf descriptor: CInt) {
    guard Self.isRead(descriptor), access("/run/systemd/journal/socket", W_OK) == 0 else { return nil }
  }

  /// Returns true if a descriptor is connected to the journal.
  package static func isRead(_ descriptor: CInt) -> Bool {
    var status = stat()
    guard let stream = getenv("JOURNAL_STREAM"), fstat(descriptor, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  /// Sends a record later.
  /// - Returns: False if too many records wait; the record is then lost.
  package func send(_ fields: [Field]) -> Bool {
    let isAdmitted = waitingCount.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { return false }
    let lines = fields.map { Array("\($0.name)=\($0.value)".utf8) }
    queue.async {
      Self.deliver(lines)
      self.waitingCount.withLock { $0 -= 1 }
    }
    return true
  }

  /// Waits until all records were sent. Returns false if that takes longer than the timeout.
  @discardableResult
  package func flush(within timeout: Duration) -> Bool {
    let isSent = DispatchSemaphore(value: 0)
    queue.async { isSent.signal() }
    return isSent.wait(timeout: .now() + .microseconds(Int(clamping: timeout.microseconds))) == .success
  }

  private static func deliver(_ lines: [[UInt8]]) {
    let bytes = lines.flatMap { $0 }
    bytes.withUnsafeBufferPointer { buffer in
      var vectors: [iovec] = []
      var offset = 0
      for line in lines {
        let base = UnsafeMutableRawPointer(mutating: buffer.baseAddress?.advanced(by: offset))
        vectors.append(iovec(iov_base: base, iov_len: line.count))
        offset += line.count
      }
      sd_journal_sendv(vectors, CInt(vectors.count))
    }
  }
}
