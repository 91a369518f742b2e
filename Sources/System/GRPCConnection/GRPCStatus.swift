/// The outcome of a call according to the server: `grpc-status` and `grpc-message`.
package struct GRPCStatus: Hashable, Sendable {
  /// The code, of which those are named that callers distinguish.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let ok = Code(rawValue: 0)
    package static let cancelled = Code(rawValue: 1)
    package static let unknown = Code(rawValue: 2)
    package static let invalidArgument = Code(rawValue: 3)
    package static let deadlineExceeded = Code(rawValue: 4)
    package static let notFound = Code(rawValue: 5)
    package static let permissionDenied = Code(rawValue: 7)
    package static let resourceExhausted = Code(rawValue: 8)
    package static let failedPrecondition = Code(rawValue: 9)
    package static let outOfRange = Code(rawValue: 11)
    package static let unimplemented = Code(rawValue: 12)
    package static let unavailable = Code(rawValue: 14)
    package static let unauthenticated = Code(rawValue: 16)
  }

  package let code: Code
  /// The server's explanation; empty if there is none.
  package let message: String

  /// Creates a status.
  package init(_ code: Code, _ message: String = "") { (self.code, self.message) = (code, message) }
}

extension GRPCStatus: CustomStringConvertible {
  package var description: String {
    message.isEmpty ? "gRPC status \(code.rawValue)" : "\(message) (gRPC status \(code.rawValue))"
  }
}

/// The reason why a call has no status.
package enum GRPCFailure: Error, Hashable, Sendable {
  /// The server has not processed the call, and says so: its connection ends, or it has too many calls.
  case refused
  /// The server has ended the call, with a code of HTTP/2.
  case reset(UInt32)
  /// The answer has another HTTP status than 200.
  case http(Int)
  /// The answer has ended without a status of gRPC.
  case noStatus
  /// The server has sent a message of more bytes than the limit, which were not read.
  case tooLarge(byteCount: Int, limit: Int)
  /// The server has compressed a message, which the client does not offer.
  case compressed
  /// The connection has ended.
  case disconnected
}

extension GRPCFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .refused: "the server has refused the call before it began"
    case .reset(let code): "the server has ended the call (HTTP/2 error \(code))"
    case .http(let status): "the server has answered with HTTP status \(status)"
    case .noStatus: "the answer has no gRPC status"
    case .tooLarge(let byteCount, let limit): "a message of \(byteCount) bytes exceeds the limit of \(limit)"
    case .compressed: "a message is compressed"
    case .disconnected: "the connection has ended"
    }
  }
}

/// The end of a connection, with the reason.
package struct GRPCConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
