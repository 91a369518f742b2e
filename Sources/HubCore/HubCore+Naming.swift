package import Wire

extension HubCore {
  /// Returns the distinct names of the actions in received frames, for the operator. Incomplete frames are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes, which begin with a frame.
  ///   - limit: The maximum number of names to return.
  package func names(ofActionsIn bytes: RawSpan, limit: Int = 4) -> [String] {
    Self.names(ofActionsIn: bytes, schema: featureSchema, payloadLimit: limits.payloadBytes, limit: limit)
  }

  /// The schema of the feature's actions.
  package var featureSchema: Schema { schemas[StateRoot.feature.index] }

  /// The same without a hub, for another thread.
  package static func names(
    ofActionsIn bytes: RawSpan, schema: Schema, payloadLimit: Int, limit: Int = 4
  ) -> [String] {
    var names: [String] = []
    var decoder = FrameDecoder(payloadLimit: payloadLimit)
    try? decoder.feed(bytes) { header, payload throws(WireError) in
      guard FrameKind(rawValue: header.kind) == .actions else { return }
      var items = CBORDecoder(payload)
      _ = try items.unsigned()
      _ = try items.unsigned()
      while !items.isAtEnd, names.count < limit {
        let parts = schema.parts(ofAction: try CBORValue(from: &items))
        guard let parts, let name = schema.name(ofAction: parts.path) else { continue }
        if !names.contains(name) { names.append(name) }
      }
    }
    return names
  }

  /// Returns the name of one action, for the reason of its rejection; nil for one that is not in the schema. That of a
  /// large action is not worth its decoding.
  func name(ofActionIn bytes: RawSpan) -> String? {
    guard bytes.byteCount <= 4096, let action = try? CBORValue(decoding: bytes) else { return nil }
    return featureSchema.parts(ofAction: action).flatMap { featureSchema.name(ofAction: $0.path) }
  }

  /// Returns the names of the actions in unhandled frames of a connection.
  package func names(ofActionsThatWaitOn id: ConnectionID) -> [String] {
    guard case .live(let connection) = phase(of: id), let bytes = connection.backlog?.unhandledBytes else { return [] }
    return names(ofActionsIn: bytes.span.bytes)
  }
}
