internal import EventLoop
internal import Features
internal import Wire

/// Attaches to the whole state, reads its snapshot, and stays subscribed until told to leave.
final class StateProbe {
  private var conversation: HubConversation?
  private var snapshot: [UInt8] = []
  private var hasState = false

  init(
    on loop: EventLoop, path: String, onState: @escaping (AppFeature.State) -> Void,
    onEnd: @escaping (LoadError) -> Void
  ) throws(UVError) {
    conversation = try HubConversation(
      on: loop, path: path,
      onOpen: { [weak self] in self?.conversation?.write { $0.frame(Attach()) } },
      onFrame: { [weak self] header, payload throws(WireError) in
        guard let self, !hasState, header.kind == FrameKind.snapshot.rawValue else { return }
        snapshot.append(contentsOf: [UInt8](try SnapshotPiece(CBORDecoder(payload)).bytes))
        guard header.flags & SnapshotPiece.finalFlag != 0 else { return }
        let state = try AppFeature.State(decoding: snapshot.span.bytes)
        (hasState, snapshot) = (true, [])
        onState(state)
      },
      onEnd: onEnd)
  }

  func leave() {
    conversation?.leave()
  }
}
