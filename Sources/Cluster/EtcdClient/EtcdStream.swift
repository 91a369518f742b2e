import GRPCConnection

/// A stream of messages in both directions that the client opens again after each failure.
final class EtcdStream {
  let path: String
  /// The first message of each call, in which the stream says where it continues.
  let opening: () -> [UInt8]
  let receive: ([UInt8]) -> Void
  /// The call; nil while the stream is not open.
  var call: GRPCCall?
  /// The earliest time of the next call.
  var opensAt = Duration.zero

  init(_ path: String, opening: @escaping () -> [UInt8], receive: @escaping ([UInt8]) -> Void) {
    (self.path, self.opening, self.receive) = (path, opening, receive)
  }
}
