internal import EventLoop
internal import Features
internal import Wire

/// Attaches once, reads the shared count, and leaves.
final class CountProbe {
  private var conversation: HubConversation?
  private var snapshot: [UInt8] = []

  init(
    on loop: EventLoop, path: String, onCount: @escaping (Int) -> Void, onEnd: @escaping (LoadError) -> Void
  ) throws(UVError) {
    conversation = try HubConversation(
      on: loop, path: path,
      onOpen: { [weak self] in self?.conversation?.write { $0.frame(Attach()) } },
      onFrame: { [weak self] header, payload throws(WireError) in
        guard let self, header.kind == FrameKind.snapshot.rawValue else { return }
        snapshot.append(contentsOf: [UInt8](try SnapshotPiece(CBORDecoder(payload)).bytes))
        guard header.flags & SnapshotPiece.finalFlag != 0 else { return }
        let state = try AppFeature.State(decoding: snapshot.span.bytes)
        conversation?.leave()
        onCount(state.counter.count)
      },
      onEnd: onEnd)
  }
}
