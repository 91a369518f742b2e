import TurnLog
import Wire

/// The frames of a client of the hub that leads, whose actions the log has not stored. If another hub leads before, they
/// are passed on to that one.
struct UnstoredFrames {
  /// A frame of actions.
  struct Frame {
    let header: FrameHeader
    /// Its payload, which begins with the first action that was new.
    let payload: [UInt8]
    /// The number of the last action that was processed.
    var last: UInt64
    /// True if further actions of the frame wait.
    var isUnfinished: Bool
  }

  /// Oldest first.
  private(set) var frames: [Frame] = []
  /// The numbers of actions whose effects were cancelled. On another hub, the actions start them again.
  private(set) var cancelled: Set<UInt64> = []
  /// The bytes of the frames.
  private(set) var byteCount = 0

  var isEmpty: Bool { frames.isEmpty }

  /// True if further actions of the newest frame wait.
  var isUnfinished: Bool { frames.last?.isUnfinished == true }

  /// Keeps a frame after some or all of its actions were processed.
  ///
  /// - Parameters:
  ///   - known: The number of the last action that was processed before.
  ///   - last: The number of the last one that is processed now.
  ///   - isBegun: True if an earlier turn has handled a part of the frame.
  ///   - isUnfinished: True if a later turn continues it.
  fileprivate mutating func keep(
    _ header: FrameHeader, _ payload: RawSpan, after known: UInt64, through last: UInt64, isBegun: Bool,
    isUnfinished: Bool
  ) throws(WireError) {
    if isBegun, self.isUnfinished {
      (frames[frames.count - 1].last, frames[frames.count - 1].isUnfinished) = (last, isUnfinished)
      return
    }
    if self.isUnfinished { frames[frames.count - 1].isUnfinished = false }
    var encoder = CBOREncoder()
    var decoder = CBORDecoder(payload)
    let first = try decoder.unsigned()
    _ = try decoder.unsigned()
    if first <= known {
      for _ in first...known { try decoder.skipAction() }
    }
    encoder.unsigned(max(first, known + 1))
    encoder.unsigned(0)
    encoder.append(payload.extracting(decoder.offset...))
    let bytes = encoder.bytes
    byteCount += bytes.count
    frames.append(Frame(header: header, payload: bytes, last: last, isUnfinished: isUnfinished))
  }

  fileprivate mutating func keepCancellation(of number: UInt64) { cancelled.insert(number) }

  /// Forgets what the log has stored.
  fileprivate mutating func forget(upTo stored: UInt64) {
    guard let first = frames.first, first.last <= stored else { return }
    frames.removeAll { $0.last <= stored && !$0.isUnfinished }
    byteCount = frames.reduce(0) { $0 + $1.payload.count }
    if !cancelled.isEmpty { cancelled = cancelled.filter { $0 > stored } }
  }

  /// True if they have all actions after the stored ones up to a number.
  func isComplete(from stored: UInt64, to processed: UInt64) -> Bool {
    var last = stored
    for frame in frames {
      var decoder = CBORDecoder(frame.payload.span.bytes)
      guard let first = try? decoder.unsigned(), first <= last + 1 else { return false }
      last = max(last, frame.last)
    }
    return last >= processed
  }
}

extension HubCore {
  /// True if the frames of a connection are kept until the log has stored their actions.
  func keepsFrames(of connection: LiveConnection) -> Bool { isLeading && !connection.isRemote }

  /// Handles a frame of actions, and keeps it.
  @inline(never)
  mutating func handleKeepingActions(
    _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: FrameResumption?,
    from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> FrameResumption? {
    let known = connection.session.processed
    let next = try handleActions(header, payload, resumingAt: resumption, from: connection, at: now, &limit)
    let processed = connection.session.processed
    guard processed > known || connection.unstored.isUnfinished else { return next }
    let byteCount = connection.unstored.byteCount
    try connection.unstored.keep(
      header, payload, after: known, through: processed, isBegun: resumption != nil, isUnfinished: next != nil)
    turns?.keptByteCount += connection.unstored.byteCount - byteCount
    return next
  }

  /// Keeps the cancellation of an action that was processed here and may not be stored.
  func keepCancellation(ofAction number: UInt64, from connection: LiveConnection) {
    guard keepsFrames(of: connection), !connection.unstored.isEmpty, number <= connection.session.processed,
      number > storedSessions?[connection.session.id]?.processed ?? 0
    else { return }
    connection.unstored.keepCancellation(of: number)
  }

  /// Forgets the frames of a session whose actions the log has stored.
  func forgetFrames(of session: SessionID, upTo stored: UInt64) {
    guard let connection = liveSessions[session], !connection.unstored.isEmpty else { return }
    let byteCount = connection.unstored.byteCount
    connection.unstored.forget(upTo: stored)
    turns?.keptByteCount += connection.unstored.byteCount - byteCount
  }

  /// Takes what is kept of a connection.
  func takeFrames(of connection: LiveConnection) -> UnstoredFrames {
    defer { connection.unstored = UnstoredFrames() }
    turns?.keptByteCount -= connection.unstored.byteCount
    return connection.unstored
  }

  /// Passes on what this hub has handled while it led, and what the log does not have.
  mutating func forward(_ unstored: UnstoredFrames, from connection: LiveConnection, at now: Duration) {
    do throws(WireError) {
      for frame in unstored.frames where connection.isOpen {
        try forward(frame.payload.span.bytes, frame.header, from: connection, at: now)
      }
    } catch {
      preconditionFailure("a frame that was handled before is malformed: \(error)")
    }
    for number in unstored.cancelled.sorted() where connection.isOpen {
      cancelEffects(ofAction: number, from: connection)
    }
  }
}
