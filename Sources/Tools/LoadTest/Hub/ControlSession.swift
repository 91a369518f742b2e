internal import Wire

/// A session for requests that wait for their answer: the schema, the state or a hash.
///
/// All signals are blocked while it waits, so it asks for them itself.
final class ControlSession {
  private let socket: Socket
  private var decoder = FrameDecoder(payloadLimit: 1 << 26)
  private var output = FrameWriter()
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var frames: [(header: FrameHeader, payload: [UInt8])] = []
  private let timeout: Double
  /// Waits some seconds, and returns the number of a signal that arrived.
  private let pause: (Double) -> Int32?
  private var scope: UInt16 = 0
  private(set) var hubName = ""
  /// The maximum payload of a frame that the hub accepts, in bytes.
  private(set) var payloadLimit: UInt64 = 0
  let process: Int32?

  /// The state of a scope in a snapshot from the hub.
  struct Snapshot {
    var bytes: [UInt8]
    var revision: UInt64
  }

  init(path: String, timeout: Double, pause: @escaping (Double) -> Int32?) throws(LoadError) {
    let start = Clock.now
    var connected = try Socket.connected(to: path)
    while connected == nil {
      if let signal = pause(0.005) { throw .interrupted(signal: signal) }
      guard Clock.now - start < Clock.nanoseconds(timeout) else {
        throw .silent(seconds: timeout, reason: "its queue of new connections is full")
      }
      connected = try Socket.connected(to: path)
    }
    guard let socket = connected.take() else { throw .cannotConnect("the hub is busy") }
    // With socket activation the listener is systemd, whose CPU time is not the hub's.
    process = socket.peerProcess.flatMap { HubProcess(id: $0).name == "systemd" ? nil : $0 }
    self.socket = socket
    (self.timeout, self.pause) = (timeout, pause)
    output.frame(Hello(name: "storeload"))
    try flush()
    let payload = try wait(for: .welcome).payload
    let welcome = try read { () throws(WireError) in try Welcome(decoding: payload.span.bytes) }
    (hubName, payloadLimit) = (welcome.hub, welcome.payloadLimit)
  }

  deinit { buffer.deallocate() }

  /// Requests the schema of the feature.
  func schema() throws(LoadError) -> Schema {
    output.frame(FrameHeader(kind: .describe)) { _ in }
    try flush()
    let payload = try wait(for: .schema).payload
    return try read { () throws(WireError) in try Schema(decoding: payload.span.bytes) }
  }

  /// Requests the state of a part, and its hash if the state is small enough; nil if there is no value.
  func snapshot(
    _ path: [PathStep], of root: StateRoot = .feature, hashLimit: Int = -1
  ) throws(LoadError) -> (snapshot: Snapshot, hash: StateHash?)? {
    scope &+= 1
    output.frame(Attach(root: root, path: path), scope: scope)
    try flush()
    var bytes: [UInt8] = []
    while true {
      let frame = try next()
      guard frame.header.scope == scope else { continue }
      if frame.header.kind == FrameKind.absent.rawValue { return nil }
      guard frame.header.kind == FrameKind.snapshot.rawValue else { continue }
      try read { () throws(WireError) in
        if try SnapshotPiece(CBORDecoder(frame.payload.span.bytes)).offset == 0 {
          bytes.removeAll(keepingCapacity: true)
        }
        bytes.append(contentsOf: [UInt8](try SnapshotPiece(CBORDecoder(frame.payload.span.bytes)).bytes))
      }
      guard frame.header.flags & SnapshotPiece.finalFlag != 0 else { continue }
      let snapshot = Snapshot(bytes: bytes, revision: frame.header.revision)
      let hash = bytes.count <= hashLimit ? try hashOfUnchanged() : nil
      output.frame(FrameHeader(kind: .detach, scope: scope)) { _ in }
      try flush()
      return (snapshot, hash)
    }
  }

  /// Requests the hub's hash of the scope; nil if the scope has changed before the answer.
  private func hashOfUnchanged() throws(LoadError) -> StateHash? {
    output.frame(FrameHeader(kind: .verify, scope: scope)) { _ in }
    try flush()
    while true {
      let frame = try next()
      guard frame.header.scope == scope else { continue }
      switch FrameKind(rawValue: frame.header.kind) {
      case .hash: return try read { () throws(WireError) in try StateHash(decoding: frame.payload.span.bytes) }
      case .delta, .snapshot, .absent: return nil
      default: continue
      }
    }
  }

  /// The durability mode of a hub; nil if it does not tell its metrics to this user, or has an older version.
  ///
  /// In a session of its own, which a hub ends if the user has no right to the metrics.
  static func durability(
    of path: String, timeout: Double, pause: @escaping (Double) -> Int32?
  ) throws(LoadError) -> String? {
    do throws(LoadError) {
      let session = try ControlSession(path: path, timeout: timeout, pause: pause)
      defer { session.leave() }
      guard let bytes = try session.snapshot([], of: .metrics)?.snapshot.bytes,
        let mode = try? HubMetrics(decoding: bytes.span.bytes).durability
      else { return nil }
      return mode.isEmpty ? nil : mode
    } catch {
      guard case .interrupted = error else { return nil }
      throw error
    }
  }

  /// Ends the session.
  func leave() {
    output.frame(FrameHeader(kind: .leave)) { _ in }
    try? flush()
  }

  private func read<Value>(_ body: () throws(WireError) -> Value) throws(LoadError) -> Value {
    do throws(WireError) { return try body() } catch { throw .malformed("\(error)") }
  }

  private func flush() throws(LoadError) {
    // Moved out of the property, so that the bytes can be borrowed during the call.
    let frames = output
    output = FrameWriter()
    var offset = 0
    var start = Clock.now
    while offset < frames.count {
      let taken = frames.span(offset..<frames.count).withUnsafeBytes { socket.send($0) }
      guard let taken else { throw .closed }
      offset += taken
      if taken > 0 { start = Clock.now } else { try waitForSocket(writing: true, since: start) }
    }
  }

  private func waitForSocket(writing: Bool, since start: UInt64) throws(LoadError) {
    socket.waitUntilReady(writing: writing, milliseconds: 50)
    if let signal = pause(0) { throw .interrupted(signal: signal) }
    guard Clock.now - start < Clock.nanoseconds(timeout) else {
      throw .silent(
        seconds: timeout, reason: "the hub \(writing ? "read" : "answered") no request for its schema or its state")
    }
  }

  private func wait(for kind: FrameKind) throws(LoadError) -> (header: FrameHeader, payload: [UInt8]) {
    while true {
      let frame = try next()
      if frame.header.kind == kind.rawValue { return frame }
    }
  }

  private func next() throws(LoadError) -> (header: FrameHeader, payload: [UInt8]) {
    let start = Clock.now
    while frames.isEmpty {
      let count: Int
      switch socket.receive(into: buffer) {
      case .bytes(let received): count = received
      case .end: throw .closed
      case .nothing:
        try waitForSocket(writing: false, since: start)
        continue
      }
      do throws(WireError) {
        try decoder.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]).bytes) {
          (header, payload) throws(WireError) in
          frames.append((header, payload.withUnsafeBytes { [UInt8]($0) }))
        }
      } catch {
        throw .malformed("\(error)")
      }
      // Frames are taken from the end.
      frames.reverse()
    }
    let frame = frames.removeLast()
    switch FrameKind(rawValue: frame.header.kind) {
    case .error:
      throw LoadError(try read { () throws(WireError) in try PeerError(decoding: frame.payload.span.bytes) })
    case .goodbye:
      throw LoadError(try read { () throws(WireError) in try Goodbye(decoding: frame.payload.span.bytes) })
    default: return frame
    }
  }
}
