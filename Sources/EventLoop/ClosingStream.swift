/// Keeps a stream open until its last bytes are sent, or until it ends.
///
/// Bytes that the peer still sends are ignored: the owner of the stream may have another connection by then.
package final class ClosingStream {
  private var stream: PipeStream?

  package init(_ stream: consuming PipeStream) {
    self.stream = consume stream
  }

  /// Replaces the owner's callbacks. Only the last one keeps the object alive.
  package func finish() {
    stream?.onDrained {}
    // An unconnected stream cannot be read, and has nothing to send.
    try? stream?.startReading(onBytes: { _ in }, onEnd: { [weak self] _ in self?.stream = nil })
    stream?.finishWriting { _ = self }
  }
}
