import EtcdMessages
import EventLoop
import GRPCConnection
import NetworkStream

/// A connection to a member: the bytes between a socket and the calls.
final class EtcdConnection {
  let endpoint: EtcdEndpoint
  private let stream: NetworkStream
  private let calls: GRPCConnection
  /// Called once, when the member has spoken.
  private var onReady: (() -> Void)?
  private var onEvents: (([GRPCEvent]) -> Void)?
  private var onEnd: ((String) -> Void)?
  /// The frames that are sent together.
  private var output: [UInt8] = []
  /// The time at which the member last sent something.
  private(set) var lastHeard: Duration
  private let loop: EventLoop

  /// Creates a connection that `start` begins.
  init(
    to endpoint: EtcdEndpoint, on loop: EventLoop, session: TLSSession?, onReady: @escaping () -> Void,
    onEvents: @escaping ([GRPCEvent]) -> Void, onEnd: @escaping (String) -> Void
  ) {
    (self.endpoint, self.loop, lastHeard) = (endpoint, loop, loop.now)
    (self.onReady, self.onEvents, self.onEnd) = (onReady, onEvents, onEnd)
    stream = NetworkStream(on: loop, session: session)
    calls = GRPCConnection(authority: endpoint.authority, scheme: endpoint.isSecure ? "https" : "http")
    output.reserveCapacity(Self.writeSize + (1 << 14))
    stream.onReady = { [weak self] in self?.flush() }
    stream.onDrained = { [weak self] in self?.flush() }
    stream.onBytes = { [weak self] in self?.receive($0) }
    stream.onEnd = { [weak self] in self?.end("\($0)") }
  }

  /// Connects.
  func start() { stream.connect(to: endpoint.host, port: endpoint.port) }

  /// The size at which collected frames are sent.
  private static let writeSize = 1 << 16

  // MARK: Calls

  /// True if the member begins no more calls here.
  var isGoingAway: Bool { calls.isGoingAway }
  var callCount: Int { calls.callCount }

  func begin(_ path: String, timeout: Duration?) -> GRPCCall? { calls.begin(path, timeout: timeout) }

  func send(_ message: [UInt8], on call: GRPCCall, isLast: Bool) {
    calls.send(message, on: call, isLast: isLast)
    flush()
  }

  func cancel(_ call: GRPCCall) -> Bool {
    defer { flush() }
    return calls.cancel(call)
  }

  func ping() {
    calls.ping()
    flush()
  }

  /// Closes the connection; returns the calls that had not ended.
  func close() -> [(GRPCCall, GRPCOutcome)] {
    (onReady, onEvents, onEnd) = (nil, nil, nil)
    stream.close()
    return calls.abandon()
  }

  // MARK: Bytes

  private func receive(_ bytes: RawSpan) {
    lastHeard = loop.now
    do throws(GRPCConnectionError) { try calls.receive(bytes) } catch { return end("\(error)") }
    onReady.take()?()
    let events = calls.takeEvents()
    if !events.isEmpty || calls.isGoingAway { onEvents?(events) }
    // Windows, and what the events' handlers have begun.
    flush()
  }

  /// Sends the frames, unless the socket has not taken the last ones.
  private func flush() {
    guard stream.isReady else { return }
    do throws(GRPCConnectionError) {
      while stream.queuedByteCount == 0 {
        output.removeAll(keepingCapacity: true)
        try calls.takeOutput { frame in
          frame.withUnsafeBytes { output += $0 }
          return output.count < Self.writeSize
        }
        guard !output.isEmpty else { return }
        stream.write(output.span.bytes)
      }
    } catch {
      // What the client had to say about it is sent before.
      if !output.isEmpty { stream.write(output.span.bytes) }
      end("\(error)")
    }
  }

  private func end(_ reason: String) {
    let onEnd = onEnd
    (onReady, onEvents, self.onEnd) = (nil, nil, nil)
    onEnd?(reason)
  }
}
