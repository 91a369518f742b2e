import Testing

@testable import GRPCConnection

/// The client's side against a server of hand-made frames.
@Suite struct GRPCConnectionTests {
  /// Frames of HTTP/2: length, type, flags, stream, payload.
  private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
  }

  private static let settings = frame(4)

  /// Headers without compression; `:status 200` is in HPACK's static table.
  private static func headers(_ fields: [(String, String)], isFirst: Bool, isLast: Bool, stream: UInt8 = 1) -> [UInt8] {
    let status: [UInt8] = isFirst ? [0x88] : []
    let literals = fields.flatMap { [0, UInt8($0.utf8.count)] + $0.utf8 + [UInt8($1.utf8.count)] + $1.utf8 }
    return frame(1, flags: 4 | (isLast ? 1 : 0), stream: stream, status + literals)
  }

  private static func data(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
    frame(0, stream: 1, [flag, 0, 0, 0, UInt8(message.count)] + message)
  }

  /// A connection with a call that has left.
  private static func begun(
    _ limits: GRPCConnection.Limits = .init()
  ) throws -> (GRPCConnection, GRPCCall) {
    let connection = GRPCConnection(authority: "a:1", scheme: "http", limits: limits)
    let call = try #require(connection.begin("/x/Y", timeout: .seconds(1)))
    connection.send([1, 2, 3], on: call, isLast: true)
    try drain(connection)
    try connection.receive(settings.span.bytes)
    try drain(connection)
    return (connection, call)
  }

  @discardableResult
  private static func drain(_ connection: GRPCConnection) throws -> [UInt8] {
    var output: [UInt8] = []
    try connection.takeOutput { bytes in
      bytes.withUnsafeBytes { output += $0 }
      return true
    }
    return output
  }

  @Test(arguments: [1, 2, 7, 1000]) func anAnswerIsReadHoweverItIsSplit(size: Int) throws {
    let (connection, call) = try Self.begun()
    let bytes =
      Self.headers([("content-type", "application/grpc")], isFirst: true, isLast: false)
      + Self.data([9, 8, 7]) + Self.data([])
      + Self.headers([("grpc-status", "5"), ("grpc-message", "not%20here%")], isFirst: false, isLast: true)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try connection.receive(Array(bytes[start..<min(start + size, bytes.count)]).span.bytes)
    }
    #expect(
      connection.takeEvents() == [
        .message(call, [9, 8, 7]), .message(call, []),
        .ended(
          call, GRPCOutcome(result: .success(GRPCStatus(.notFound, "not here%")), mayHaveBeenProcessed: true)),
      ])
    #expect(connection.callCount == 0)
  }

  @Test func theMessageIsFramedWithItsLength() throws {
    let connection = GRPCConnection(authority: "a:1", scheme: "http")
    let call = try #require(connection.begin("/x/Y", timeout: nil))
    connection.send([1, 2, 3], on: call, isLast: false)
    let output = try Self.drain(connection)
    // The last frame: data without END_STREAM.
    #expect(Array(output.suffix(17)) == [0, 0, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 2, 3])
    #expect(connection.unsentByteCount(of: call) == 0)
    connection.send([4], on: call, isLast: true)
    #expect(connection.unsentByteCount(of: call) == 6)
    #expect(try Self.drain(connection) == [0, 0, 6, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4])
  }

  /// A large message does not fit in the server's first window of 64 KiB.
  @Test func aMessageWaitsForTheServersWindow() throws {
    let connection = GRPCConnection(authority: "a:1", scheme: "http")
    let call = try #require(connection.begin("/x/Y", timeout: nil))
    connection.send([UInt8](repeating: 7, count: 100_000), on: call, isLast: true)
    try connection.receive(Self.settings.span.bytes)
    #expect(try Self.drain(connection).count < 70_000)
    #expect(connection.cancel(call) == false)
  }

  @Test func aRefusedCallWasNotProcessed() throws {
    let (connection, call) = try Self.begun()
    // REFUSED_STREAM.
    try connection.receive(Self.frame(3, stream: 1, [0, 0, 0, 7]).span.bytes)
    let outcome = GRPCOutcome(result: .failure(.refused), mayHaveBeenProcessed: false)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
  }

  @Test func aResetCallMayHaveBeenProcessed() throws {
    let (connection, call) = try Self.begun()
    // INTERNAL_ERROR.
    try connection.receive(Self.frame(3, stream: 1, [0, 0, 0, 2]).span.bytes)
    let outcome = GRPCOutcome(result: .failure(.reset(2)), mayHaveBeenProcessed: true)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
  }

  /// GOAWAY names the last stream that the server has processed.
  @Test func aCallAfterTheLastOneOfTheServerWasNotProcessed() throws {
    let (connection, call) = try Self.begun()
    try connection.receive(Self.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]).span.bytes)
    let outcome = GRPCOutcome(result: .failure(.refused), mayHaveBeenProcessed: false)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
    #expect(!connection.acceptsCalls)
    #expect(connection.begin("/x/Y", timeout: nil) == nil)
  }

  @Test func aCallWhoseMessageHasNotLeftWasNotProcessed() throws {
    let connection = GRPCConnection(authority: "a:1", scheme: "http")
    let first = try #require(connection.begin("/x/Y", timeout: nil))
    connection.send([1], on: first, isLast: true)
    try Self.drain(connection)
    let second = try #require(connection.begin("/x/Y", timeout: nil))
    connection.send([1], on: second, isLast: true)
    let ended = connection.abandon()
    #expect(ended.map(\.0) == [first, second])
    #expect(ended.map(\.1.mayHaveBeenProcessed) == [true, false])
  }

  @Test func aMessageBeyondTheLimitEndsTheCall() throws {
    var limits = GRPCConnection.Limits()
    limits.messageBytes = 2
    let (connection, call) = try Self.begun(limits)
    try connection.receive((Self.headers([], isFirst: true, isLast: false) + Self.data([9, 8, 7])).span.bytes)
    try Self.drain(connection)
    let outcome = GRPCOutcome(
      result: .failure(.tooLarge(byteCount: 3, limit: 2)), mayHaveBeenProcessed: true)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
  }

  @Test func aCompressedMessageEndsTheCall() throws {
    let (connection, call) = try Self.begun()
    // Nothing of what follows is a message.
    let bytes = Self.headers([], isFirst: true, isLast: false) + Self.data([9], flag: 1) + Self.data([8])
    try connection.receive(bytes.span.bytes)
    try Self.drain(connection)
    let outcome = GRPCOutcome(result: .failure(.compressed), mayHaveBeenProcessed: true)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
  }

  @Test func anAnswerWithoutAStatusIsAFailure() throws {
    let (connection, call) = try Self.begun()
    try connection.receive(Self.headers([], isFirst: true, isLast: true).span.bytes)
    let outcome = GRPCOutcome(result: .failure(.noStatus), mayHaveBeenProcessed: true)
    #expect(connection.takeEvents() == [.ended(call, outcome)])
  }

  @Test func aCancelledCallHasNoMoreEvents() throws {
    let (connection, call) = try Self.begun()
    #expect(connection.cancel(call))
    try connection.receive((Self.headers([], isFirst: true, isLast: false) + Self.data([9])).span.bytes)
    #expect(connection.takeEvents() == [])
  }

  @Test func theAnswerToAPingIsReported() throws {
    let (connection, _) = try Self.begun()
    connection.ping()
    let ping = try Self.drain(connection)
    try connection.receive(Self.frame(6, flags: 1, Array(ping.suffix(8))).span.bytes)
    #expect(connection.takeEvents() == [.pong])
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{15}\u{3}\u{1}nonsense of some length"])
  func anotherProtocolEndsTheConnection(answer: String) throws {
    let (connection, _) = try Self.begun()
    #expect(throws: GRPCConnectionError.self) {
      try connection.receive(Array(answer.utf8).span.bytes)
      try Self.drain(connection)
    }
  }
}
