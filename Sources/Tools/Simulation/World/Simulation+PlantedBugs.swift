import Wire

// The effects of planted bugs on bytes that pass through the virtual shells.

extension Simulation {
  /// The writes that the hub's shell makes instead of a turn's bytes.
  func planted(_ bytes: [UInt8], on link: Link) -> [[UInt8]] {
    // Only after the welcome, and not always, so that there are bytes to damage.
    guard let bug, link.tap.frameCount > 2, !isSettling else { return [bytes] }
    switch bug {
    case .shellDropsAWrite where chance.hits(50):
      return []
    case .shellRepeatsAWrite where chance.hits(50):
      return [bytes, bytes]
    case .shellSwapsWrites:
      if let earlier = link.heldBack {
        link.heldBack = nil
        return [bytes, earlier]
      }
      guard chance.hits(50) else { return [bytes] }
      link.heldBack = bytes
      return []
    case .shellMixesUpScopes:
      return [mixingUpScopes(bytes)]
    default: return [bytes]
    }
  }

  /// Exchanges the numbers of scopes 0 and 1 in deltas.
  private func mixingUpScopes(_ bytes: [UInt8]) -> [UInt8] {
    var (bytes, offset) = (bytes, 0)
    while offset + FrameHeader.byteCount <= bytes.count {
      let header = FrameHeader(bytes.span.bytes, at: offset)
      if header.kind == FrameKind.delta.rawValue, header.scope < 2 {
        bytes[offset + 6] = UInt8(1 - header.scope)
      }
      offset += FrameHeader.byteCount + Int(header.length)
    }
    return bytes
  }

  /// The bytes that a client's shell writes instead of a frame.
  func planted(_ bytes: [UInt8], from client: ClientProcess) -> [UInt8] {
    let kind = FrameHeader(bytes.span.bytes, at: 0).kind
    if bug == .clientForgetsItsSession, kind == FrameKind.hello.rawValue, chance.hits(200) {
      var writer = FrameWriter()
      writer.frame(Hello(name: client.name))
      return writer.bytes
    }
    if bug == .clientForgetsCancellations, kind == FrameKind.cancel.rawValue, !client.cancelled.insert(bytes).inserted {
      var writer = FrameWriter()
      writer.frame(Ping(number: 0))
      return writer.bytes
    }
    guard let bug, kind == FrameKind.actions.rawValue else { return bytes }
    var decoder = CBORDecoder(bytes.span.bytes.extracting(FrameHeader.byteCount...))
    guard let first = try? decoder.unsigned(), let acknowledged = try? decoder.unsigned() else { return bytes }
    let actions = decoder.offset + FrameHeader.byteCount
    var writer = FrameWriter()
    switch bug {
    case .clientRenumbersActions where client.link?.tap.isResumed == true && first > 0:
      writer.frame(FrameHeader(kind: .actions)) {
        $0.unsigned(first + 1)
        $0.unsigned(acknowledged)
        $0.append(bytes.span.bytes.extracting(actions...))
      }
      return writer.bytes
    case .clientSendsAnotherAction where chance.hits(100):
      var last = decoder
      guard (try? last.skip()) != nil, last.isAtEnd else { return bytes }
      writer.frame(FrameHeader(kind: .actions)) {
        $0.unsigned(first)
        $0.unsigned(acknowledged)
        let action = Self.unknownAction
        $0.append(action.span.bytes)
      }
      return writer.bytes
    case .clientSendsAgainInANewSession where chance.hits(100):
      // The same actions with the following numbers.
      var count: UInt64 = 0
      while !decoder.isAtEnd, (try? decoder.skip()) != nil { count += 1 }
      writer.frame(FrameHeader(kind: .actions)) {
        $0.unsigned(first + count)
        $0.unsigned(acknowledged)
        $0.append(bytes.span.bytes.extracting(actions...))
      }
      return bytes + writer.bytes
    default: return bytes
    }
  }
}
