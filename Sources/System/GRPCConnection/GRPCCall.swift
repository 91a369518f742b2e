/// A call on a connection. Numbers are not used again.
package struct GRPCCall: Hashable, Sendable {
  let stream: Int32
}

/// An event of a connection.
package enum GRPCEvent: Hashable, Sendable {
  /// A message of the server.
  case message(GRPCCall, [UInt8])
  /// The server has ended the call.
  case ended(GRPCCall, GRPCOutcome)
  /// The answer to `ping`.
  case pong
}

/// The end of a call.
package struct GRPCOutcome: Hashable, Sendable {
  /// The status of the server, or the reason why there is none.
  package let result: Result<GRPCStatus, GRPCFailure>
  /// False if the server surely has not processed the call: not all of its first message has left the connection, or the
  /// server says so.
  package let mayHaveBeenProcessed: Bool
}

/// The state of a call: what is to be sent, and what of a message has arrived.
struct CallState {
  private(set) var outgoing: [[UInt8]] = []
  /// The position in the first outgoing message, in which its prefix of five bytes counts.
  private var sentCount = 0
  /// True if the client sends no more messages.
  var isFinished = false
  /// True after the last byte of the first message.
  private(set) var hasLeft = false
  /// True while HTTP/2 waits for the next message.
  var isDeferred = false

  private var prefix: InlineArray<5, UInt8> = [0, 0, 0, 0, 0]
  private var prefixCount = 0
  private var incoming: [UInt8] = []
  private var incomingCount = 0

  var http: Int?
  var status: GRPCStatus.Code?
  var statusMessage = ""
  var failure: GRPCFailure?

  // MARK: Outgoing

  mutating func queue(_ message: [UInt8]) { outgoing.append(message) }

  /// The bytes that have not left.
  var unsentByteCount: Int { outgoing.reduce(0) { $0 + $1.count + 5 } - sentCount }

  /// Copies as many bytes as fit.
  /// - Returns: The number of bytes, and whether they were the last of the call.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
    var count = 0
    while count < buffer.count, let message = outgoing.first {
      if sentCount < 5 {
        let shift = UInt32(4 - sentCount) * 8
        buffer[count] = sentCount == 0 ? 0 : UInt8(truncatingIfNeeded: UInt32(message.count) >> shift)
        (count, sentCount) = (count + 1, sentCount + 1)
      } else {
        let part = message[(sentCount - 5)...].prefix(buffer.count - count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: part)
        (count, sentCount) = (count + part.count, sentCount + part.count)
      }
      if sentCount == message.count + 5 {
        outgoing.removeFirst()
        (sentCount, hasLeft) = (0, true)
      }
    }
    return (count, outgoing.isEmpty && isFinished)
  }

  // MARK: Incoming

  /// Takes bytes of the server and passes complete messages on.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, limit: Int, _ onMessage: ([UInt8]) -> Void
  ) throws(GRPCFailure) {
    var rest = bytes[...]
    while true {
      while prefixCount < 5, let byte = rest.popFirst() {
        prefix[prefixCount] = byte
        prefixCount += 1
        if prefixCount == 5 { try begin(limit: limit) }
      }
      guard prefixCount == 5 else { return }
      let part = rest.prefix(incomingCount - incoming.count)
      incoming += part
      rest = rest.dropFirst(part.count)
      guard incoming.count == incomingCount else { return }
      prefixCount = 0
      let message = incoming
      incoming = []
      onMessage(message)
    }
  }

  private mutating func begin(limit: Int) throws(GRPCFailure) {
    guard prefix[0] == 0 else { throw .compressed }
    incomingCount = (1..<5).reduce(0) { $0 << 8 | Int(prefix[$1]) }
    guard incomingCount <= limit else { throw .tooLarge(byteCount: incomingCount, limit: limit) }
    incoming.reserveCapacity(min(incomingCount, 1 << 16))
  }

  // MARK: The end

  /// The outcome, after HTTP/2 has closed the stream with a code.
  func outcome(code: UInt32, refusedCode: UInt32) -> GRPCOutcome {
    let isRefused = code == refusedCode
    let result: Result<GRPCStatus, GRPCFailure> =
      if let failure {
        .failure(failure)
      } else if isRefused {
        .failure(.refused)
      } else if let status {
        .success(GRPCStatus(status, statusMessage))
      } else if let http, http != 200 {
        .failure(.http(http))
      } else {
        .failure(code == 0 ? .noStatus : .reset(code))
      }
    return GRPCOutcome(result: result, mayHaveBeenProcessed: hasLeft && !isRefused)
  }
}
