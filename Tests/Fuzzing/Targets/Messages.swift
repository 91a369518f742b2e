import Wire

extension FuzzTarget {
  /// The first byte selects the message; the rest is its payload.
  static let messages = FuzzTarget(name: "messages") { bytes in
    var input = FuzzInput(bytes)
    let choice = input.byte()
    try MessageKind.all[Int(choice) % MessageKind.all.count].run(input.rest)
  } seeds: {
    GoldenFiles.conversations.joined().flatMap { frame in
      MessageKind.all.indices.filter { MessageKind.all[$0].kind == frame.kind }.map { [UInt8($0)] + frame.payload }
    } + [[UInt8(MessageKind.all.count - 2), 0x81, 0x61, 0x61]]
      + [[UInt8(MessageKind.all.count - 1)] + documented]
  }
}

/// A small schema with a comment of a type and of one of its fields.
private let documented =
  [0x82] + Schema(state: Branch.self, action: Kind.self).encoded() + [0xa1, 0, 0x82, 0x61, 0x61, 0xa1, 0, 0x61, 0x62]

/// A kind of message with its guarantee for any payload.
private struct MessageKind: Sendable {
  let kind: FrameKind?
  let run: @Sendable ([UInt8]) throws -> Void

  static let all: [MessageKind] = [
    map(Hello.self), map(Welcome.self), map(Attach.self), exact(Rejected.self), exact(PeerError.self),
    exact(Goodbye.self), exact(Ping.self), exact(Pong.self), MessageKind(kind: .snapshot, run: snapshotPiece),
    value(StateHash.self, .hash), value(SchemaFingerprint.self, nil), value(SessionID.self, nil),
    value(PathStep.self, nil), value(DocumentedSchema.self, nil),
  ]

  /// A message with one encoding.
  private static func exact<Value: Message>(_ type: Value.Type) -> MessageKind { value(type, type.kind) }

  private static func value<Value: WireValue & SendableMetatype>(_ type: Value.Type, _ kind: FrameKind?) -> MessageKind
  {
    MessageKind(kind: kind) { try Promises.roundTrip(type, $0) }
  }

  /// A message whose unknown keys are ignored, and whose default values may be written or omitted.
  private static func map<Value: Message & Equatable>(_ type: Value.Type) -> MessageKind {
    MessageKind(kind: type.kind) { bytes in
      guard let message = try? Value(decoding: bytes.span.bytes) else { return }
      let written = message.encoded()
      try promise(try Value(decoding: written.span.bytes) == message, "\(type) is read as another message")
      // Values in a message may be deeper than an item alone, since the message is the first level.
      guard let value = try? CBORValue(decoding: bytes.span.bytes) else { return }
      guard case .map(let old) = value,
        case .map(let new) = try CBORValue(decoding: written.span.bytes)
      else { throw BrokenPromise("\(type) is not a map") }
      for pair in new where !old.contains(pair) {
        try promise(!old.contains { $0.key == pair.key }, "\(type) changes what is under \(pair.key)")
      }
    }
  }

  @Sendable
  private static func snapshotPiece(_ bytes: [UInt8]) throws {
    guard let piece = try? SnapshotPiece(CBORDecoder(bytes.span.bytes)) else { return }
    var encoder = CBOREncoder()
    SnapshotPiece.encodeHead(piece.reason, offset: piece.offset, byteCount: piece.bytes.byteCount, to: &encoder)
    encoder.append(piece.bytes)
    try promise(encoder.bytes == bytes, "a piece is written otherwise than it was read")
  }
}
