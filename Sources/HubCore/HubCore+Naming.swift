import Wire

extension HubCore {
  /// The names of the actions in frames that came in, each once, for the operator; those that fit into whole frames.
  ///
  /// - Parameters:
  ///   - bytes: What came; it begins with a frame.
  ///   - limit: How many names to return at most.
  package func names(ofActionsIn bytes: RawSpan, limit: Int = 4) -> [String] {
    var names: [String] = []
    var decoder = FrameDecoder(payloadLimit: limits.payloadBytes)
    let schema = schemas[StateRoot.feature.index]
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

  /// The peer of a connection that is open.
  package func peer(of id: ConnectionID) -> Peer? {
    switch phase(of: id) {
    case .greeting(let greeting): greeting.peer
    case .live(let connection): connection.peer
    case .free, .closing: nil
    }
  }
}
