import GRPCConnection

extension FuzzTarget {
  /// A server's bytes have the same effect however they are split, and each call ends once, whatever they are.
  static let grpc = FuzzTarget(name: "grpc") { bytes in
    let whole = try events(of: bytes, pieces: max(bytes.count, 1))
    for size in [1, 7] {
      try promise(try events(of: bytes, pieces: size) == whole, "pieces of \(size) bytes have another effect")
    }
  } seeds: {
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    // `:status 200`; a message of two bytes and an empty one; `grpc-status: 0`.
    let headers: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
    let data: [UInt8] = [0, 0, 12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 8, 9, 0, 0, 0, 0, 0]
    let status: [UInt8] = Array("grpc-status".utf8) + [1, 0x30]
    let trailers: [UInt8] = [0, 0, 15, 1, 5, 0, 0, 0, 1, 0, 11] + status
    let refused: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 7]
    let reset: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2]
    // After the first call.
    let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    let compressed: [UInt8] = [0, 0, 5, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    let tooLarge: [UInt8] = [0, 0, 5, 0, 0, 0, 0, 0, 1, 0, 255, 255, 255, 255]
    let pong: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    let inputs: [[[UInt8]]] = [
      [settings, headers, data, trailers], [settings, refused, reset], [settings, goAway, headers, data],
      [settings, headers, compressed], [settings, headers, tooLarge], [settings, pong],
      [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)],
    ]
    return inputs.map { Array($0.joined()) }
  }

  /// The events of a connection with two calls, and whether it has failed.
  private static func events(of bytes: [UInt8], pieces size: Int) throws -> [GRPCEvent] {
    var limits = GRPCConnection.Limits()
    limits.messageBytes = 1 << 16
    let connection = GRPCConnection(authority: "a:1", scheme: "http", limits: limits)
    var open: Set<GRPCCall> = []
    for _ in 0..<2 {
      guard let call = connection.begin("/x/Y", timeout: .seconds(1)) else { throw BrokenPromise("no call begins") }
      connection.send([1, 2, 3], on: call, isLast: true)
      open.insert(call)
    }
    try connection.takeOutput { _ in true }
    do throws(GRPCConnectionError) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        try connection.receive(Array(bytes[start..<min(start + size, bytes.count)]).span.bytes)
      }
      try connection.takeOutput { _ in true }
    } catch {
      // The owner closes it.
    }
    let events = connection.takeEvents()
    for event in events {
      switch event {
      case .message(let call, _): try promise(open.contains(call), "a message of a call that has ended")
      case .ended(let call, _): try promise(open.remove(call) != nil, "a call has ended twice")
      case .pong: break
      }
    }
    try promise(Set(connection.abandon().map(\.0)) == open, "the calls that are left are others")
    return events
  }
}
