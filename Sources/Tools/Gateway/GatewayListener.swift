internal import EventLoop

/// A socket that listens for connections.
final class GatewayListener {
  private var listener: PipeListener?

  /// Accepts connections on a listening socket, which the listener then owns.
  ///
  /// - Parameter onConnection: Called with the socket of each connection, which the receiver closes, or with an error.
  init(
    on loop: EventLoop, adopting descriptor: CInt, at address: String,
    onConnection: @escaping (Result<CInt, UVError>) -> Void
  ) throws(UVError) {
    listener = try PipeListener(on: loop, adopting: descriptor, path: address, ownsFile: false) { [weak self] error in
      if let error { return onConnection(.failure(error)) }
      if let descriptor = self?.listener?.takeDescriptor() { onConnection(.success(descriptor)) }
    }
  }

  /// Accepts again after a failure, for example because a descriptor was closed.
  func resume() { listener?.resume() }
}
