import Wire

/// The unacknowledged actions, in order: first those that were sent in this session, under consecutive numbers, then
/// the unsent ones.
///
/// All encoded actions are adjacent in one buffer that is reused, so an action needs no allocation of its own.
struct PendingActions {
  private struct Entry {
    let ticket: ActionTicket
    /// The action's bytes, as offsets in the stream of all bytes that were ever appended.
    let bytes: Range<Int>
    let context: AnyObject?
    /// The revision of the last state that the client had received; nil without one of the hub's present history.
    var seenRevision: UInt64?
    /// Its converted bytes in `mapped`; nil if the hub has the same schema.
    var mapped: Range<Int>?
    /// True if its failure was reported already. It is kept until the hub acknowledges its number.
    var isRefused = false
  }

  /// The entries, oldest first. Those before `head` are acknowledged; they are removed in batches, so that removing
  /// costs O(1).
  private var entries: [Entry] = []
  private var head = 0
  private var lastTicket: UInt64 = 0
  private var encoder = CBOREncoder()
  /// The unsent actions, converted for a hub with another schema.
  private var mapped = CBOREncoder()
  /// The numbers under which actions were sent in this session, without those that are to be sent again: of each run of
  /// consecutive tickets the first one. A ticket that is missing in a run has failed before it was sent. At most
  /// `runLimit` are kept, the latest ones.
  private var runs: [(ticket: UInt64, sequence: UInt64)] = []
  private var lastNumberedTicket: UInt64 = 0
  /// The offset in the stream of the buffer's first byte.
  private var bufferStart = 0
  /// The last sequence number that the hub has acknowledged in this session.
  private(set) var acknowledged: UInt64 = 0
  /// The number of the last action that was sent in this session.
  var lastSent: UInt64 { acknowledged + UInt64(sentCount) }
  /// The number of pending actions that were sent in this session; they come first.
  private(set) var sentCount = 0
  /// What is stored of them for the next process; nil without an outbox.
  var outbox: OutboxLedger?

  /// The maximum number of bytes in a frame's payload before its first action.
  static var headByteCount: Int { 18 }
  /// The maximum number of runs; the actions of earlier ones can no longer be cancelled. It takes a failed action to
  /// begin one.
  static var runLimit: Int { 4096 }
  /// A buffer that has grown beyond this is freed once it is empty.
  private static var keptByteCount: Int { 1 << 20 }

  /// The number of pending actions.
  var count: Int { entries.count - head }

  /// The first pending action; nil if there is none.
  var first: ActionTicket? { count == 0 ? nil : entries[head].ticket }

  /// The number of unsent actions.
  var unsentCount: Int { count - sentCount }

  /// The number of bytes of the pending actions.
  var pendingByteCount: Int { count == 0 ? 0 : encoder.count - (entries[head].bytes.lowerBound - bufferStart) }

  /// The number of bytes in the buffer.
  var byteCount: Int { encoder.count }

  /// Appends an action that `encode` writes, unless it is longer than `limit`.
  ///
  /// - Parameter seenRevision: The revision of the last state that the client has received.
  mutating func append(
    context: AnyObject?, seen seenRevision: UInt64?, limit: Int, _ encode: (inout CBOREncoder) -> Void
  ) throws(ActionError) -> ActionTicket {
    let start = encoder.count
    encode(&encoder)
    let count = encoder.count - start
    guard count <= limit else {
      encoder.cut(to: start)
      throw .tooLarge(bytes: count, limit: limit)
    }
    lastTicket += 1
    let ticket = ActionTicket(number: lastTicket)
    entries.append(
      Entry(
        ticket: ticket, bytes: bufferStart + start..<bufferStart + start + count, context: context,
        seenRevision: seenRevision))
    return ticket
  }

  // MARK: Sending

  /// Writes all unsent actions, which `prepareUnsent` has prepared, in frames whose payloads have at most `limit` bytes.
  /// The actions of one frame were added after the same state.
  mutating func writeUnsent(
    limit: Int, mayCancel: Bool, to output: inout FrameWriter, _ commands: inout [ReplicaCommand]
  ) {
    let limit = max(0, limit - Self.headByteCount)
    // Shares the buffers, which are not written to meanwhile, without copying.
    let (own, ownStart, mapped) = (encoder.bytes, bufferStart, mapped.bytes)
    while unsentCount > 0 {
      let first = acknowledged + UInt64(sentCount) + 1
      let seenRevision = entries[head + sentCount].seenRevision
      let frame = output.frame(.actions(seen: seenRevision, mayCancel: mayCancel)) { encoder in
        encoder.unsigned(first)
        encoder.unsigned(acknowledged)
        var used = 0
        while unsentCount > 0 {
          let entry = entries[head + sentCount]
          let range = entry.mapped ?? entry.bytes.lowerBound - ownStart..<entry.bytes.upperBound - ownStart
          guard used == 0 || used + range.count <= limit && entry.seenRevision == seenRevision else { break }
          encoder.append((entry.mapped == nil ? own : mapped).span.bytes.extracting(range))
          used += range.count
          sentCount += 1
          note(entry.ticket, sequence: acknowledged + UInt64(sentCount))
        }
      }
      commands.append(.write(frame))
    }
    self.mapped.removeAll()
  }

  /// Converts the unsent actions. Those fail and are removed that the hub does not have, according to the mapping, or
  /// whose size it does not accept.
  ///
  /// - Returns: True if some were removed, so that later ones get their numbers.
  mutating func prepareUnsent(
    limit: Int, mapping: SchemaMapping?, _ commands: inout [ReplicaCommand]
  ) -> Bool {
    let limit = max(0, limit - Self.headByteCount)
    var kept = head + sentCount
    for index in kept..<entries.count {
      // Its outcome is known, although the hub does not know it any more.
      guard !entries[index].isRefused else {
        outbox?.remove(entries[index].ticket.number)
        continue
      }
      do throws(ActionError) {
        entries[index].mapped = nil
        var byteCount = entries[index].bytes.count
        guard byteCount > 0 else { throw Self.ofOtherProgram }
        if let mapping {
          let mapped = try map(entries[index], mapping)
          entries[index].mapped = mapped
          byteCount = mapped.count
        }
        guard byteCount <= limit else { throw ActionError.tooLarge(bytes: byteCount, limit: limit) }
        if kept < index { entries[kept] = entries[index] }
        kept += 1
      } catch {
        outbox?.remove(entries[index].ticket.number)
        fail(entries[index], error, &commands)
      }
    }
    guard kept < entries.count else { return false }
    entries.removeSubrange(kept...)
    // If none is left, no acknowledgement will free the buffer.
    removeAcknowledged()
    return true
  }

  private mutating func map(_ entry: Entry, _ mapping: SchemaMapping) throws(ActionError) -> Range<Int> {
    let start = mapped.count
    do throws(WireError) {
      let bytes = encoder.bytes
      var decoder = CBORDecoder(bytes.span.bytes, at: entry.bytes.lowerBound - bufferStart)
      try mapping.mapValue(&decoder, to: &mapped)
      return start..<mapped.count
    } catch {
      let reason = "the hub runs another version of the feature: \(error)"
      throw .rejected(code: RejectionCode.unknownAction.rawValue, reason: reason)
    }
  }

  /// Forgets the numbers of unsent actions. They get others if one before them fails instead of being sent again, since
  /// this hub, unlike the last one, does not have it or does not accept its size.
  private mutating func forgetNumbers() {
    guard unsentCount > 0 else { return }
    let first = entries[head + sentCount].ticket.number
    lastNumberedTicket = min(lastNumberedTicket, first - 1)
    runs.removeLast(runs.reversed().prefix { $0.ticket >= first }.count)
  }

  private mutating func note(_ ticket: ActionTicket, sequence: UInt64) {
    lastNumberedTicket = ticket.number
    if let run = runs.last, ticket.number - run.ticket == sequence - run.sequence { return }
    // Half of them at once, so that removing costs O(1) for each.
    if runs.count == Self.runLimit { runs.removeFirst(Self.runLimit / 2) }
    runs.append((ticket.number, sequence))
  }

  /// The number under which an action was sent in this session; nil if it was not sent, or too many later ones have
  /// failed before they were.
  ///
  /// - Complexity: O(log runs).
  func sequence(of ticket: ActionTicket) -> UInt64? {
    guard ticket.number <= lastNumberedTicket else { return nil }
    // The run is the last of those that begin at the ticket or before it.
    var (index, end) = (-1, runs.count)
    while end - index > 1 {
      let middle = (index + end) / 2
      if runs[middle].ticket <= ticket.number { index = middle } else { end = middle }
    }
    guard index >= 0 else { return nil }
    let sequence = runs[index].sequence + (ticket.number - runs[index].ticket)
    guard end == runs.count || sequence < runs[end].sequence else { return nil }
    return sequence
  }

  /// The last action that was sent in this session under a number up to `sequence`; nil if none was. Of actions so early
  /// that their numbers are forgotten, it is the last one.
  func ticket(through sequence: UInt64) -> ActionTicket? {
    guard let first = runs.first else { return nil }
    guard let run = runs.last(where: { $0.sequence <= sequence }) else {
      return first.ticket > 1 ? ActionTicket(number: first.ticket - 1) : nil
    }
    let offset = min(sequence - run.sequence, lastNumberedTicket - run.ticket)
    return ActionTicket(number: run.ticket + offset)
  }

  /// The number of a pending action in this session: the one under which it was sent, or will be if none before it fails
  /// until then. Nil if it is not pending.
  ///
  /// - Complexity: O(log pending).
  func number(of ticket: ActionTicket) -> UInt64? {
    var (lower, upper) = (head, entries.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle].ticket < ticket { lower = middle + 1 } else { upper = middle }
    }
    guard lower < entries.count, entries[lower].ticket == ticket else { return nil }
    return acknowledged + UInt64(lower - head) + 1
  }

  /// Returns true if the action was not sent in this session yet.
  func isUnsent(_ ticket: ActionTicket) -> Bool {
    unsentCount > 0 && entries[head + sentCount].ticket <= ticket && sequence(of: ticket) == nil
  }

  // MARK: Outcomes

  /// Fails the action with this sequence number, unless it is not pending.
  mutating func reject(_ sequence: UInt64, _ error: ActionError, _ commands: inout [ReplicaCommand]) {
    guard let index = index(of: sequence) else { return }
    fail(entries[index], error, &commands)
    // A hub repeats rejections after a reconnection.
    if !entries[index].isRefused { outbox?.refuse(entries[index].ticket.number) }
    entries[index].isRefused = true
  }

  /// Completes all actions up to a sequence number that the hub has acknowledged.
  mutating func acknowledge(through sequence: UInt64, _ commands: inout [ReplicaCommand]) {
    guard let last = index(of: sequence) else { return }
    for entry in entries[head...last] where !entry.isRefused {
      commands.append(.applied(entry.ticket, context: entry.context))
    }
    outbox?.settle(through: entries[last].ticket.number)
    sentCount -= last + 1 - head
    head = last + 1
    acknowledged = sequence
    removeAcknowledged()
  }

  /// Continues the session on another connection. The actions that the hub has not processed become unsent again.
  mutating func resume(processed: UInt64) {
    // The outcomes of the processed actions are still to come.
    sentCount = Int(clamping: min(processed - min(processed, acknowledged), UInt64(count)))
    forgetNumbers()
  }

  /// Forgets the states after which actions were added: the hub's revisions belong to another history.
  mutating func forgetRevisions() {
    for index in entries.indices[head...] { entries[index].seenRevision = nil }
  }

  /// Starts a new session. The outcome of the actions that were sent in the old one is unknown; the others are unsent.
  mutating func beginSession(_ commands: inout [ReplicaCommand]) {
    failSent(&commands)
    (runs, lastNumberedTicket) = ([], 0)
    acknowledged = 0
    removeAcknowledged()
  }

  /// Fails all actions: those that were sent with an unknown outcome, and the others with an error.
  mutating func removeAll(_ error: ActionError, _ commands: inout [ReplicaCommand]) {
    failSent(&commands)
    removeUnsent(error, &commands)
  }

  /// Fails the unsent actions.
  mutating func removeUnsent(_ error: ActionError, _ commands: inout [ReplicaCommand]) {
    for entry in entries[(head + sentCount)...] {
      outbox?.remove(entry.ticket.number)
      fail(entry, error, &commands)
    }
    entries.removeSubrange((head + sentCount)...)
    removeAcknowledged()
  }

  private mutating func failSent(_ commands: inout [ReplicaCommand]) {
    guard sentCount > 0 else { return }
    for entry in entries[head..<head + sentCount] { fail(entry, .outcomeUnknown, &commands) }
    outbox?.settle(through: entries[head + sentCount - 1].ticket.number)
    head += sentCount
    sentCount = 0
  }

  private func fail(_ entry: Entry, _ error: ActionError, _ commands: inout [ReplicaCommand]) {
    if !entry.isRefused { commands.append(.failed(entry.ticket, context: entry.context, error)) }
  }

  private func index(of sequence: UInt64) -> Int? {
    guard sequence > acknowledged, sequence - acknowledged <= UInt64(sentCount) else { return nil }
    return head + Int(sequence - acknowledged) - 1
  }

  private mutating func removeAcknowledged() {
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      bufferStart += encoder.count
      if encoder.bytes.capacity > Self.keptByteCount { encoder = CBOREncoder() } else { encoder.removeAll() }
      head = 0
      return
    }
    let end = entries[head].bytes.lowerBound
    let unused = end - bufferStart
    // Each move is paid for by at least as much that was acknowledged since the last one.
    guard head > 1024 && head > entries.count / 2 || unused > Self.keptByteCount && unused > encoder.count / 2 else {
      return
    }
    entries.removeFirst(head)
    encoder.dropFirst(unused)
    bufferStart = end
    head = 0
  }

  // MARK: The outbox

  /// An action that a program with another schema has stored, and that this one does not have.
  private static var ofOtherProgram: ActionError {
    .unreadable(reason: "an earlier version of this program has stored it, and this version has no such action")
  }

  /// The number of the last pending action; 0 without one.
  var lastNumber: UInt64 { count == 0 ? 0 : entries[entries.count - 1].ticket.number }

  /// The number of the last pending action that was sent in this session; 0 without one.
  var lastSentNumber: UInt64 { sentCount == 0 ? 0 : entries[head + sentCount - 1].ticket.number }

  /// Adds an action of an earlier process; without bytes, it is one that this program does not have.
  mutating func restore(
    _ action: OutboxAction, as ticket: ActionTicket, _ bytes: [UInt8], context: AnyObject?
  ) {
    let start = bufferStart + encoder.count
    encoder.append(bytes.span.bytes)
    lastTicket = max(lastTicket, action.number)
    entries.append(
      Entry(
        ticket: ticket, bytes: start..<start + bytes.count, context: context, seenRevision: action.seenRevision,
        isRefused: action.isRefused))
  }

  /// Continues the session of an earlier process, after its actions were added.
  mutating func restoreSession(_ session: OutboxSession) {
    acknowledged = session.acknowledged
    sentCount = entries.prefix { $0.ticket.number <= session.lastSent }.count
    // The mark is about numbers of earlier processes.
    lastTicket = max(lastTicket, session.lastSent)
    for (index, entry) in entries[..<sentCount].enumerated() {
      note(entry.ticket, sequence: acknowledged + UInt64(index) + 1)
    }
  }

  /// Calls a function with the pending actions that have these numbers.
  func forEach<E: Error>(
    in range: ClosedRange<UInt64>, _ body: (OutboxAction, RawSpan) throws(E) -> Void
  ) throws(E) {
    let bytes = encoder.bytes
    for entry in entries[head...] where range.contains(entry.ticket.number) {
      let place = entry.bytes.lowerBound - bufferStart..<entry.bytes.upperBound - bufferStart
      let action = OutboxAction(
        number: entry.ticket.number, seenRevision: entry.seenRevision, isRefused: entry.isRefused)
      try body(action, bytes.span.bytes.extracting(place))
    }
  }

  /// Fails the actions after a number, none of which was sent: they are not stored.
  mutating func removeUnstored(after number: UInt64, _ error: ActionError, _ commands: inout [ReplicaCommand]) {
    let index = entries[(head + sentCount)...].firstIndex { $0.ticket.number > number } ?? entries.count
    for entry in entries[index...] { fail(entry, error, &commands) }
    entries.removeSubrange(index...)
    removeAcknowledged()
  }

  /// Gives up the actions of an earlier process, which it may have sent under numbers that were not stored.
  ///
  /// - Parameter processed: The last number that the hub has processed; the next action has the one after it.
  mutating func giveUp(through number: UInt64, processed: UInt64, _ commands: inout [ReplicaCommand]) {
    let end = entries[head...].firstIndex { $0.ticket.number > number } ?? entries.count
    for entry in entries[head..<end] { fail(entry, .outcomeUnknown, &commands) }
    outbox?.settle(through: number)
    (head, sentCount, acknowledged) = (end, 0, processed)
    (runs, lastNumberedTicket) = ([], 0)
    removeAcknowledged()
  }

  /// Ends with all actions in the outbox, for the next process.
  mutating func keepAll(_ commands: inout [ReplicaCommand]) {
    for entry in entries[head...] { fail(entry, .keptInOutbox, &commands) }
    (head, sentCount, outbox) = (entries.count, 0, nil)
    removeAcknowledged()
  }
}
