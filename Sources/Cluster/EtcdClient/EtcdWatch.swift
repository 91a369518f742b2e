package import EtcdMessages

/// A watch of the puts to a range of keys. It goes on after failures where it was interrupted, if that is possible.
///
/// Events are hints: they may be late, and 3.4.23 can lose some at a compaction. So an owner also reads.
package final class EtcdWatch {
  private let client: EtcdClient
  private let range: EtcdKeyRange
  private let onEvents: ([EtcdKeyValue], EtcdHeader) -> Void
  private let onGap: (EtcdHeader) -> Void
  private var stream: EtcdStream?
  /// The first revision whose events have not arrived; 0 for those after the next creation.
  private var next: Int64
  /// The cluster whose revisions are counted.
  private var cluster: UInt64?

  /// Begins a watch.
  ///
  /// - Parameters:
  ///   - range: The keys.
  ///   - client: The client.
  ///   - revision: The first revision; 0 for those after the beginning.
  ///   - onEvents: Called with the values that were put, and the state of the member.
  ///   - onGap: Called when events are missing, because their revisions were compacted, or the cluster is another one.
  package init(
    _ range: EtcdKeyRange, of client: EtcdClient, from revision: Int64 = 0,
    onEvents: @escaping ([EtcdKeyValue], EtcdHeader) -> Void, onGap: @escaping (EtcdHeader) -> Void
  ) {
    (self.client, self.range, next, self.onEvents, self.onGap) = (client, range, revision, onEvents, onGap)
    let stream = EtcdStream(
      EtcdWatchRequest.path, opening: { [weak self] in self?.creation() ?? [] },
      receive: { [weak self] in self?.receive($0) })
    self.stream = stream
    client.open(stream)
  }

  /// Ends the watch. An owner that releases it must call this before.
  package func cancel() {
    if let stream = stream.take() { client.cancel(stream) }
  }

  private func creation() -> [UInt8] {
    EtcdWatchRequest(create: EtcdWatchCreation(putsTo: range, from: next)).bytes
  }

  private func receive(_ bytes: [UInt8]) {
    guard let stream else { return }
    guard let response = try? EtcdWatchResponse(decoding: bytes), let header = response.header else {
      return client.restart(stream)
    }
    if let cluster, cluster != header.cluster {
      // The revisions are those of another store.
      next = 0
      self.cluster = header.cluster
      onGap(header)
      if self.stream != nil { client.restart(stream) }
      return
    }
    cluster = header.cluster
    if response.isCancelled { return handleCancellation(response, header, stream) }
    if response.isCreated, next == 0 { next = header.revision + 1 }
    let values = response.events.compactMap { $0.kind == .put ? $0.value : nil }
    for value in values { next = max(next, value.modRevision + 1) }
    if !values.isEmpty { onEvents(values, header) }
  }

  private func handleCancellation(_ response: EtcdWatchResponse, _ header: EtcdHeader, _ stream: EtcdStream) {
    if response.compactRevision > 0 {
      next = response.compactRevision
      onGap(header)
    }
    if self.stream != nil { client.restart(stream) }
  }
}
