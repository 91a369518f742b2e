import EventLoop
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct PipeTests {
  /// A loop with other work reads a little at a time, without losing anything.
  @Test func readsCanBeLimited() throws {
    let pair = try Pair()
    try pair.connect()
    var sizes: [Int] = []
    try pair.server?.startReading(onBytes: { sizes.append($0.byteCount) }, onEnd: { _ in })
    let bytes = [UInt8](repeating: 7, count: 10_000)
    pair.server?.readLimit = 1024
    _ = try pair.client?.write(bytes.span.bytes)
    pair.run { sizes == [10_000] }
    pair.loop.limitsReads = true
    sizes = []
    _ = try pair.client?.write(bytes.span.bytes)
    pair.run { sizes.reduce(0, +) == 10_000 }
    #expect(sizes.max() == 1024 && sizes.count == 10)
    pair.end()
  }

  @Test(arguments: ["", "\0abstract", "/tmp/a\0b"])
  func aPathThatIsNoneInTheFileSystemIsRefused(path: String) throws {
    let loop = try EventLoop()
    #expect(throws: UVError.self) { _ = try PipeListener(on: loop, path: path) { _ in } }
    let client = try PipeStream(on: loop)
    #expect(throws: UVError.self) { try client.connect(to: path) { _ in } }
    client.close()
    loop.close()
  }

  @Test func aWatchNoticesThatAFileIsRemovedThoughItIsOpen() throws {
    let pair = try Pair()
    pair.listener = try PipeListener(on: pair.loop, path: pair.path) { _ in }
    var changes = 0
    let watch = try FileWatch(on: pair.loop, path: pair.path) { changes += 1 }
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(changes == 0)
    try FileManager.default.removeItem(atPath: pair.path)
    pair.run { changes > 0 }
    _ = consume watch
    #expect(throws: UVError.self) { _ = try FileWatch(on: pair.loop, path: pair.path) {} }
    pair.end()
  }

  @Test func bytesArriveInOrderWhenTheReaderIsSlow() throws {
    let pair = try Pair()
    try pair.connect()
    let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    var (received, drained, isAllOut): ([UInt8], Int, Bool) = ([], 0, true)
    pair.client?.onDrained { drained += 1 }
    isAllOut = try pair.client?.write(sent.span.bytes, ranges: [0..<1_000_000, 1_000_000..<sent.count].span) ?? true
    #expect(!isAllOut)
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(drained == 0)
    #expect((pair.client?.queuedByteCount ?? 0) > 0)

    try pair.server?.startReading(
      onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } }, onEnd: { _ in })
    pair.run { received.count == sent.count && drained == 1 }
    #expect(received == sent)
    #expect(pair.client?.queuedByteCount == 0)
    pair.end()
  }

  @Test func whatFitsTheSocketGoesOutAtOnce() throws {
    let pair = try Pair()
    try pair.connect()
    var received: [UInt8] = []
    try pair.server?.startReading(onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } }, onEnd: { _ in })
    let bytes: [UInt8] = [9, 3, 1, 2]
    #expect(try pair.client?.write(bytes.span.bytes, ranges: [2..<4, 0..<0, 1..<2].span) == true)
    pair.run { received == [1, 2, 3] }
    pair.end()
  }

  @Test func theEndOfAPeerIsToldOnceAndWhatWasWrittenBeforeArrives() throws {
    let pair = try Pair()
    try pair.connect()
    var (received, ends): ([UInt8], Int) = ([], 0)
    try pair.server?.startReading(
      onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } },
      onEnd: {
        #expect($0 == nil)
        ends += 1
      })
    let bytes = [UInt8](repeating: 5, count: 500_000)
    _ = try pair.client?.write(bytes.span.bytes)
    var isFinished = false
    pair.client?.finishWriting { isFinished = true }
    pair.run { isFinished && ends == 1 }
    #expect(received.count == 500_000)
    pair.end()
  }

  /// A hub that does not read because its log is behind must notice that the peer of a queued write has disconnected.
  @Test func aQueuedWriteThatFailsEndsAStreamThatDoesNotRead() throws {
    let pair = try Pair()
    try pair.connect()
    var ends: [UVError?] = []
    try pair.client?.startReading(onBytes: { _ in }, onEnd: { ends.append($0) })
    pair.client?.stopReading()
    let bytes = [UInt8](repeating: 5, count: 3_000_000)
    #expect(try pair.client?.write(bytes.span.bytes) == false)
    pair.server = nil
    pair.run { !ends.isEmpty }
    // The peer did not read everything, so Linux may report a reset.
    #expect(["EPIPE", "ECONNRESET"].contains(ends.first??.name))
    try pair.client?.resumeReading()
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(ends.count == 1)
    pair.end()
  }

  /// A hub keeps what it has queued for a peer that only reads, until that peer has gone.
  @Test func aQueuedWriteMayFailAfterThePeerHasEndedItsDirection() throws {
    let pair = try Pair()
    try pair.connect()
    var ends: [UVError?] = []
    try pair.client?.startReading(onBytes: { _ in }, onEnd: { ends.append($0) })
    let bytes = [UInt8](repeating: 5, count: 3_000_000)
    #expect(try pair.client?.write(bytes.span.bytes) == false)
    pair.server?.finishWriting {}
    pair.run { !ends.isEmpty }
    #expect(ends.first == .some(nil))
    pair.server = nil
    pair.run { ends.count == 2 }
    #expect(["EPIPE", "ECONNRESET"].contains(ends.last??.name))
    pair.end()
  }

  /// Bytes and the end of the stream that arrive while nothing is read are delivered later, and do not make the loop spin.
  @Test func aPausedStreamLetsTheLoopWait() throws {
    let pair = try Pair()
    try pair.connect()
    var received: [UInt8] = []
    var ends = 0
    try pair.server?.startReading(
      onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } }, onEnd: { _ in ends += 1 })
    pair.server?.stopReading()
    let bytes: [UInt8] = [1, 2, 3]
    #expect(try pair.client?.write(bytes.span.bytes) == true)
    pair.client = nil
    var turns = 0
    var isOver = false
    let hooks = try TurnHooks(on: pair.loop) { turns += 1 }
    let timer = try Timer(on: pair.loop) { isOver = true }
    timer.start(after: .milliseconds(50))
    while !isOver { pair.loop.run(.once) }
    #expect(received.isEmpty && ends == 0)
    #expect(turns < 20, "the loop ran \(turns) times")
    try pair.server?.resumeReading()
    pair.run { ends == 1 }
    #expect(received == bytes)
    _ = consume hooks
    pair.end()
  }

  /// A stream that its reader pauses is read no further, neither bytes nor the end of the stream.
  @Test(arguments: [3, 3_000]) func aReaderMayPauseItsStream(readLimit: Int) throws {
    let pair = try Pair()
    try pair.connect()
    var received: [UInt8] = []
    var ends = 0
    pair.loop.limitsReads = true
    pair.server?.readLimit = readLimit
    try pair.server?.startReading(
      onBytes: {
        received += $0.withUnsafeBytes { [UInt8]($0) }
        pair.server?.stopReading()
      }, onEnd: { _ in ends += 1 })
    let bytes: [UInt8] = [1, 2, 3, 4, 5]
    #expect(try pair.client?.write(bytes.span.bytes) == true)
    pair.client = nil
    pair.run { !received.isEmpty }
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(received == Array(bytes.prefix(readLimit)) && ends == 0)
    while ends == 0, received.count < 100 {
      try pair.server?.resumeReading()
      pair.loop.run(.noWait)
    }
    #expect(received == bytes && ends == 1)
    pair.end()
  }

  /// A hub pauses streams in most turns. Bytes that arrive during a pause are read when it ends.
  @Test func aShortPauseDelaysNothing() throws {
    let pair = try Pair()
    try pair.connect()
    var received = 0
    try pair.server?.startReading(onBytes: { received += $0.byteCount }, onEnd: { _ in })
    for number in 1...100 {
      pair.server?.stopReading()
      let bytes: [UInt8] = [1]
      #expect(try pair.client?.write(bytes.span.bytes) == true)
      if number.isMultiple(of: 2) { pair.loop.run(.noWait) }
      #expect(received == number - 1)
      try pair.server?.resumeReading()
      pair.run { received == number }
    }
    pair.end()
  }

  @Test func aStreamMayBeClosedInItsOwnCallback() throws {
    let pair = try Pair()
    try pair.connect()
    var calls = 0
    try pair.server?.startReading(
      onBytes: { _ in
        calls += 1
        pair.server = nil
      }, onEnd: { _ in Issue.record("a closed stream has no end to tell of") })
    let bytes: [UInt8] = [1]
    _ = try pair.client?.write(bytes.span.bytes)
    pair.run { calls == 1 }
    _ = try? pair.client?.write(bytes.span.bytes)
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(calls == 1)
    pair.end()
  }

  @Test func theKernelSaysWhoConnected() throws {
    let pair = try Pair()
    try pair.connect()
    let peer = try #require(try pair.server?.peerCredentials())
    #expect(peer.process == getpid() && peer.user == getuid() && peer.group == getgid())
    pair.end()
  }

  @Test func failuresHaveNames() throws {
    let pair = try Pair()
    func failure(_ path: String) throws -> UVError? {
      var result: UVError??
      let stream = try PipeStream(on: pair.loop)
      try stream.connect(to: path) { result = .some($0) }
      pair.run { result != nil }
      stream.close()
      return result ?? nil
    }
    #expect(try failure(pair.path)?.code == UVError.Code.noSuchFile)
    _ = FileManager.default.createFile(atPath: pair.directory + "/file", contents: nil)
    #expect(try failure(pair.directory + "/file")?.code == UVError.Code.connectionRefused)
    let error = #expect(throws: UVError.self) { try failure("/" + String(repeating: "x", count: 107)) }
    #expect(error?.code == UVError.Code.nameTooLong)
    #expect(error?.description.contains("107") == true)
    #expect(try failure("/" + String(repeating: "x", count: 106))?.code == UVError.Code.noSuchFile)
    pair.end()
  }

  @Test func aStreamMayBeClosedWhenItHasDrainedOrEndedOrFinished() throws {
    let bytes = [UInt8](repeating: 5, count: 1_000_000)
    let pair = try Pair()
    try pair.connect()
    var drained = 0
    pair.client?.onDrained {
      drained += 1
      pair.client = nil
    }
    _ = try pair.client?.write(bytes.span.bytes)
    var (count, ends) = (0, 0)
    try pair.server?.startReading(
      onBytes: { count += $0.byteCount },
      onEnd: { error in
        #expect(error == nil)
        ends += 1
        pair.server = nil
      })
    pair.run { ends == 1 }
    #expect(drained == 1)
    #expect(count == bytes.count)

    pair.listener = nil
    try pair.connect()
    var finished = 0
    pair.client?.finishWriting {
      finished += 1
      pair.client = nil
    }
    pair.run { finished == 1 }
    for _ in 0..<5 { pair.loop.run(.noWait) }
    #expect(finished == 1)
    pair.end()
  }

  @Test func aClosedStreamCallsNothingOfWhatWasUnderWay() throws {
    let pair = try Pair()
    try pair.connect()
    let bytes = [UInt8](repeating: 5, count: 1_000_000)
    pair.client?.onDrained { Issue.record("what was queued is lost") }
    _ = try pair.client?.write(bytes.span.bytes)
    pair.client?.finishWriting { Issue.record("a closed stream does not finish") }
    pair.client = nil
    let connecting = try PipeStream(on: pair.loop)
    try connecting.connect(to: pair.path) { _ in Issue.record("a closed stream does not connect") }
    connecting.close()
    // Released before it accepts the second connection.
    pair.listener = nil
    var end: UVError??
    try pair.server?.startReading(onBytes: { _ in }, onEnd: { end = .some($0) })
    pair.run { end != nil }
    pair.end()
  }

  @Test func writingToAPeerThatHasGoneIsAnError() throws {
    let pair = try Pair()
    try pair.connect()
    pair.server = nil
    pair.loop.run(.noWait)
    let bytes: [UInt8] = [1]
    let error = #expect(throws: UVError.self) { _ = try pair.client?.write(bytes.span.bytes) }
    #expect(error?.name == "EPIPE")
    pair.end()
  }

  @Test func manySmallWritesBehindALargeOneKeepTheirOrder() throws {
    let pair = try Pair()
    try pair.connect()
    var expected = [UInt8](repeating: 0, count: 400_000)
    let first = expected
    _ = try pair.client?.write(first.span.bytes)
    for number in 0..<200 {
      let bytes = [UInt8](repeating: UInt8(number), count: 1 + number * 10)
      #expect(try pair.client?.write(bytes.span.bytes, ranges: [0..<1, 1..<bytes.count].span) == false)
      expected += bytes
    }
    var received: [UInt8] = []
    try pair.server?.startReading(onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } }, onEnd: { _ in })
    // Pausing a reader loses nothing.
    while received.count < expected.count {
      let before = received.count
      pair.run { received.count > before }
      pair.server?.stopReading()
      let stopped = received.count
      pair.loop.run(.noWait)
      #expect(received.count == stopped)
      try pair.server?.startReading(onBytes: { received += $0.withUnsafeBytes { [UInt8]($0) } }, onEnd: { _ in })
    }
    #expect(received == expected)
    pair.end()
  }

  @Test func emptyWritesAreNothing() throws {
    let pair = try Pair()
    try pair.connect()
    #expect(try pair.client?.write(RawSpan()) == true)
    pair.end()
  }
}
