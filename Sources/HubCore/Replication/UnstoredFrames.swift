import Wire

/// A frame of a client of the hub that leads, whose actions the log has not stored: if another hub leads before, it is
/// passed on to that one.
struct UnstoredFrame {
  let header: FrameHeader
  let payload: [UInt8]
  /// The number of the last action that was processed, or of the one whose effects are cancelled.
  var last: UInt64
  /// True if further actions of the frame wait.
  var isUnfinished: Bool
}

extension LiveConnection {
  /// Keeps a frame, unless an earlier turn has kept it.
  fileprivate func keep(
    _ header: FrameHeader, _ payload: RawSpan, through last: UInt64, isBegun: Bool = false, isUnfinished: Bool = false
  ) {
    if isBegun, let index = unstoredFrames.indices.last, unstoredFrames[index].isUnfinished {
      (unstoredFrames[index].last, unstoredFrames[index].isUnfinished) = (last, isUnfinished)
    } else {
      if let index = unstoredFrames.indices.last { unstoredFrames[index].isUnfinished = false }
      unstoredFrames.append(
        UnstoredFrame(
          header: header, payload: payload.withUnsafeBytes { [UInt8]($0) }, last: last, isUnfinished: isUnfinished))
    }
  }

  /// Forgets the frames whose actions the log has stored.
  func forgetFrames(upTo stored: UInt64) {
    guard let first = unstoredFrames.first, first.last <= stored else { return }
    unstoredFrames.removeAll { $0.last <= stored && !$0.isUnfinished }
  }

  /// Takes the frames, if they have all actions after the stored ones that were processed.
  func takeFrames(after stored: UInt64) -> [UnstoredFrame]? {
    let frames = unstoredFrames
    unstoredFrames = []
    var last = stored
    for frame in frames where frame.header.kind == FrameKind.actions.rawValue {
      var decoder = CBORDecoder(frame.payload.span.bytes)
      guard let first = try? decoder.unsigned(), first <= last + 1 else { return nil }
      last = max(last, frame.last)
    }
    return last >= session.processed ? frames : nil
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
    if processed > known || connection.unstoredFrames.last?.isUnfinished == true {
      connection.keep(header, payload, through: processed, isBegun: resumption != nil, isUnfinished: next != nil)
    }
    return next
  }

  /// Keeps the cancellation of an action that may not be stored: on another hub, the action starts its effects again.
  func keepCancellation(ofAction number: UInt64, from connection: LiveConnection) {
    guard keepsFrames(of: connection), !connection.unstoredFrames.isEmpty else { return }
    let payload = number.encoded()
    connection.keep(FrameHeader(kind: .cancel), payload.span.bytes, through: number)
  }

  /// Passes frames on that this hub has handled while it led, and that the log does not have.
  mutating func forward(_ frames: [UnstoredFrame], from connection: LiveConnection, at now: Duration) {
    for frame in frames where connection.isOpen {
      do throws(WireError) {
        if frame.header.kind == FrameKind.actions.rawValue {
          try forward(frame.payload.span.bytes, frame.header, from: connection, at: now)
        } else {
          cancelEffects(ofAction: try UInt64(decoding: frame.payload.span.bytes), from: connection)
        }
      } catch {
        preconditionFailure("a frame that was handled before is malformed: \(error)")
      }
    }
  }
}
