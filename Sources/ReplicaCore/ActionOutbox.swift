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
  private var refused: [(ActionTicket, ActionError)] = []
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

  /// Writes a frame of as many unsent actions as fit its limit; nil if the hub has none of them.
  ///
  /// Actions that the hub does not have, by the mapping, are not sent: `takeRefused` tells which.
  mutating func writeNext(
    limit: Int, mapping: SchemaMapping?, to output: inout FrameWriter
  ) -> Range<Int>? {
    var ready: [[UInt8]] = []
    var used = Self.headByteCount
    let first = acknowledged + UInt64(sentCount) + 1
    while unsentCount > 0 {
      let entry = entries[head + sentCount]
      do {
        let bytes = try mapping?.mapValue(entry.bytes) ?? entry.bytes
        guard ready.isEmpty || used + bytes.count <= limit else { break }
        guard Self.headByteCount + bytes.count <= limit else {
          throw ActionError.tooLarge(bytes: bytes.count, limit: limit - Self.headByteCount)
        }
        ready.append(bytes)
        used += bytes.count
        sentCount += 1
      } catch {
        entries.remove(at: head + sentCount)
        let reason = "the hub runs another version of the feature: \(error)"
        let unknown = ActionError.rejected(code: RejectionCode.unknownAction.rawValue, reason: reason)
        refused.append((entry.ticket, error as? ActionError ?? unknown))
      }
    }
    guard !ready.isEmpty else { return nil }
    return output.frame(FrameHeader(kind: .actions)) { encoder in
      encoder.unsigned(first)
      encoder.unsigned(acknowledged)
      for bytes in ready { encoder.append(bytes.span.bytes) }
    }
  }

  /// The actions that could not be sent to this hub since the last call.
  mutating func takeRefused() -> [(ActionTicket, ActionError)] {
    defer { refused = [] }
    return refused
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
