import Wire

/// The actions that a hub has not answered, in order: which were sent in this session, and under which numbers.
struct ActionOutbox {
  private struct Entry {
    let ticket: ActionTicket
    let bytes: [UInt8]
  }

  /// Oldest first. Those before `head` are answered and are removed now and then, so that removing costs O(1).
  private var entries: [Entry] = []
  private var head = 0
  private var lastTicket: UInt64 = 0
  /// The highest sequence number whose outcome is known in this session.
  private(set) var acknowledged: UInt64 = 0
  /// How many of the unanswered actions were sent in this session; they come first.
  private(set) var sentCount = 0

  /// The most that a frame's payload holds before its first action.
  static var headByteCount: Int { 18 }

  /// How many actions are unanswered.
  var count: Int { entries.count - head }

  /// How many of them were not yet sent.
  var unsentCount: Int { count - sentCount }

  mutating func append(_ bytes: [UInt8]) -> ActionTicket {
    lastTicket += 1
    entries.append(Entry(ticket: ActionTicket(number: lastTicket), bytes: bytes))
    return ActionTicket(number: lastTicket)
  }

  /// Writes a frame of as many unsent actions as fit its limit, at least one.
  mutating func writeNext(limit: Int, to output: inout FrameWriter) -> Range<Int> {
    output.frame(FrameHeader(kind: .actions)) { encoder in
      encoder.unsigned(acknowledged + UInt64(sentCount) + 1)
      encoder.unsigned(acknowledged)
      let start = encoder.count
      while unsentCount > 0 {
        let bytes = entries[head + sentCount].bytes
        let used = encoder.count - start
        guard used == 0 || used + bytes.count + Self.headByteCount <= limit else { return }
        encoder.append(bytes.span.bytes)
        sentCount += 1
      }
    }
  }

  /// The action that was sent under a number, if it is unanswered.
  func ticket(of sequence: UInt64) -> ActionTicket? {
    guard sequence > acknowledged, sequence - acknowledged <= UInt64(sentCount) else { return nil }
    return entries[head + Int(sequence - acknowledged) - 1].ticket
  }

  /// Notes that the hub has answered everything up to a number, and returns the last action it answers for.
  mutating func acknowledge(through sequence: UInt64) -> ActionTicket? {
    guard let ticket = ticket(of: sequence) else { return nil }
    let answered = Int(sequence - acknowledged)
    head += answered
    sentCount -= answered
    acknowledged = sequence
    if head == entries.count || head > 1024 && head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
    return ticket
  }

  /// The session goes on, on another connection: what the hub has not processed is to be sent again.
  mutating func resume(processed: UInt64) {
    // What it has processed was sent; the outcomes are still to come.
    sentCount = Int(clamping: min(processed - min(processed, acknowledged), UInt64(count)))
  }

  /// A new session begins: what was sent in the old one is lost sight of, the rest is to be sent.
  mutating func beginSession() -> [ActionTicket] {
    let lost = entries[head..<head + sentCount].map(\.ticket)
    entries.removeFirst(head + sentCount)
    (head, sentCount, acknowledged) = (0, 0, 0)
    return lost
  }

  mutating func removeAll() -> [ActionTicket] {
    let all = entries[head...].map(\.ticket)
    (entries, head, sentCount) = ([], 0, 0)
    return all
  }
}
