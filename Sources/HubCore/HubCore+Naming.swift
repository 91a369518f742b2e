internal import SchemaNames
package import Wire

extension HubCore {
  /// Returns the distinct names of the actions in received frames, for the operator. Incomplete frames are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes.
  ///   - start: The offset of the first frame that begins in them; see `storeReadStarts`.
  package func names(ofActionsIn bytes: RawSpan, from start: Int) -> [String] {
    Self.names(ofActionsIn: bytes, from: start, schema: featureSchema)
  }

  /// The schema of the feature's actions.
  package var featureSchema: Schema { schemas[StateRoot.feature.index] }

  /// The same without a hub, for another thread.
  /// - Complexity: O(1): it decodes at most 64 KiB, as many as one read has, and stops after four names.
  package static func names(ofActionsIn bytes: RawSpan, from start: Int, schema: Schema) -> [String] {
    var names = ActionNames(schema: schema)
    names.addFrames(of: bytes, from: start)
    return names.names
  }

  /// Stores in a cell, before each read is handled, where the first frame begins in it. What precedes it is the rest of
  /// an earlier frame; the offset is the number of bytes if they are all part of it.
  package mutating func storeReadStarts(in cell: UnsafeMutablePointer<Int>?) { readStart = cell }

  /// Returns the name of one action, for the reason of its rejection; nil for one that is not in the schema. That of a
  /// large action is not worth its decoding.
  func name(ofActionIn bytes: RawSpan) -> String? {
    guard bytes.byteCount <= 4096, let action = try? CBORValue(decoding: bytes) else { return nil }
    return featureSchema.parts(ofAction: action).flatMap { featureSchema.name(ofAction: $0.path) }
  }

  /// Returns the names of the next actions in unhandled frames of a connection.
  /// - Complexity: O(1), as `names(ofActionsIn:from:schema:)`.
  package func names(ofActionsThatWaitOn id: ConnectionID) -> [String] {
    guard case .live(let connection) = phase(of: id), let backlog = connection.backlog else { return [] }
    var names = ActionNames(schema: featureSchema)
    backlog.withUnhandledBytes { bytes, resumption in names.addFrames(of: bytes, from: 0, resumingAt: resumption) }
    return names.names
  }
}

/// Collects the distinct names of actions, with a limit to the bytes that are decoded for them: an operator's line is
/// not worth more of the loop's time.
private struct ActionNames {
  private static let nameLimit = 4

  let schema: Schema
  private(set) var names: [String] = []
  /// The number of bytes that may still be decoded.
  private var byteLimit = 64 << 10

  init(schema: Schema) { self.schema = schema }

  private var isComplete: Bool { names.count == Self.nameLimit || byteLimit <= 0 }

  /// Adds the names of the actions in whole frames.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, which may come from another process and be anything.
  ///   - start: The offset of the first frame.
  ///   - resumption: The offset of the first action in that frame; 0 if it has not been begun.
  mutating func addFrames(of bytes: RawSpan, from start: Int, resumingAt resumption: Int = 0) {
    var (start, resumption) = (start, resumption)
    while !isComplete, bytes.byteCount - start >= FrameHeader.byteCount {
      let header = FrameHeader(bytes, at: start)
      let payload = start + FrameHeader.byteCount
      guard Int(header.length) <= bytes.byteCount - payload else { return }
      let end = payload + Int(header.length)
      if FrameKind(rawValue: header.kind) == .actions {
        try? addActions(of: bytes.extracting(payload..<end), from: max(resumption - FrameHeader.byteCount, 0))
      }
      // Frames without actions are looked at as well.
      byteLimit -= FrameHeader.byteCount
      (start, resumption) = (end, 0)
    }
  }

  private mutating func addActions(of payload: RawSpan, from resumption: Int) throws(WireError) {
    // An action that is longer than the limit is truncated here.
    var items = CBORDecoder(payload.extracting(first: min(payload.byteCount, resumption + byteLimit)), at: resumption)
    defer { byteLimit -= items.offset - resumption }
    if resumption == 0 {
      _ = try items.unsigned()
      _ = try items.unsigned()
    }
    while !items.isAtEnd, names.count < Self.nameLimit {
      let parts = schema.parts(ofAction: try CBORValue(from: &items))
      guard let parts, let name = schema.name(ofAction: parts.path), !names.contains(name) else { continue }
      names.append(name)
    }
  }
}
