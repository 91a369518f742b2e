package import EtcdMessages
package import EventLoop

/// Renews a lease. A lease shows that a process lives, and decides nothing: etcd's own elections restart it.
package final class EtcdLeaseKeeper {
  private let client: EtcdClient
  private let id: Int64
  private let onAnswer: (EtcdLeaseResponse) -> Void
  private var stream: EtcdStream?
  private var timer: Timer?

  /// Renews a lease at once and then repeatedly.
  ///
  /// - Parameters:
  ///   - id: The lease.
  ///   - client: The client.
  ///   - interval: The time between renewals: a third of the lease's.
  ///   - onAnswer: Called with the state of the lease after each renewal; 0 seconds if it has ended.
  package init(
    _ id: Int64, of client: EtcdClient, every interval: Duration, onAnswer: @escaping (EtcdLeaseResponse) -> Void
  ) throws(UVError) {
    (self.client, self.id, self.onAnswer) = (client, id, onAnswer)
    let renewal = EtcdLeaseRenewal(id: id).bytes
    let stream = EtcdStream(
      EtcdLeaseRenewal.path, opening: { renewal },
      receive: { [weak self] bytes in
        // One that cannot be read is like none.
        if let response = try? EtcdLeaseResponse(decoding: bytes) { self?.onAnswer(response) }
      })
    self.stream = stream
    timer = try Timer(on: client.loop) { [weak client] in client?.send(renewal, in: stream) }
    timer?.start(after: interval, repeating: interval)
    client.open(stream)
  }

  /// Ends the renewals. An owner that releases the keeper must call this before.
  package func cancel() {
    timer = nil
    if let stream = stream.take() { client.cancel(stream) }
  }
}
