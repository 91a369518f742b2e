package import EventLoop
import Glibc

/// Accepts connections over TCP, with TLS or without.
package final class NetworkListener {
  /// The address, with the assigned port if port 0 was requested.
  package let address: SocketAddress
  /// The TLS of the next connections; nil for plain ones.
  package var credentials: TLSCredentials?
  private let loop: EventLoop
  private var listener: PipeListener?

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the listener.
  ///   - address: The address.
  ///   - credentials: The files of a server.
  ///   - onConnection: Called with each connection, which is not ready yet: the receiver sets its callbacks, and a time
  ///     limit for the handshake. Called with an error, such as `tooManyOpenFiles`, if accepting fails, once until it
  ///     succeeds again.
  /// - Throws: `addressInUse`, `permissionDenied` and other errors of the socket.
  package init(
    on loop: EventLoop, at address: SocketAddress, credentials: TLSCredentials?,
    onConnection: @escaping (Result<NetworkStream, UVError>) -> Void
  ) throws(UVError) {
    let descriptor = try address.listen()
    (self.loop, self.credentials) = (loop, credentials)
    self.address = SocketAddress(of: descriptor) ?? address
    listener = try PipeListener(on: loop, adopting: descriptor, path: address.text, ownsFile: false) {
      [weak self] error in
      if let error { return onConnection(.failure(error)) }
      self?.accept(onConnection)
    }
  }

  /// Stops listening. Accepted connections stay open.
  package func close() { listener = nil }

  private func accept(_ onConnection: (Result<NetworkStream, UVError>) -> Void) {
    guard let descriptor = listener?.takeDescriptor() else { return }
    // Its port is another one each time.
    let peer = SocketAddress(of: descriptor, isPeer: true).map { String($0.host) }
    do throws(UVError) {
      let accepted = try PipeStream.tcp(adopting: descriptor, on: loop)
      let session = credentials.map { TLSSession($0, host: peer ?? "a client") }
      let stream = NetworkStream(on: loop, session: session, peerAddress: peer)
      onConnection(.success(stream))
      stream.adopt(accepted)
    } catch {
      Glibc.close(descriptor)
      onConnection(.failure(error))
    }
  }
}
