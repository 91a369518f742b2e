package import EtcdMessages
package import EventLoop
import GRPCConnection
package import NetworkStream

/// A client of etcd on the loop: calls with deadlines, and streams, over one connection to one member at a time.
///
/// When a member fails, does not answer in time, or says that it cannot, the next one is asked. A call that surely has
/// not been processed waits for it; a call that may have been processed ends with `EtcdError.Effect.unknown`, and is
/// never repeated by the client. Streams continue by themselves on the next connection.
///
/// ```swift
/// let client = try EtcdClient(on: loop, EtcdSettings(endpoints: [try EtcdEndpoint("https://a:2379")], tls: files))
/// client.call(EtcdRange(EtcdKeyRange(key)), timeout: .seconds(1)) { result in … }
/// ```
package final class EtcdClient {
  let loop: EventLoop
  let settings: EtcdSettings
  var credentials: TLSCredentials?
  var rotation: EndpointRotation
  var link = Link.idle
  var timer: DeadlineTimer?
  var timerDeadline: Duration?
  /// The calls that wait for a connection, in order, and those that have been sent.
  var waiting: [UnaryCall] = []
  var sent: [GRPCCall: UnaryCall] = [:]
  var streams: [EtcdStream] = []
  var opened: [GRPCCall: EtcdStream] = [:]
  /// The number of connections so far. It is the same until the next one is open.
  package internal(set) var connectionCount: UInt64 = 0
  var lastFailure = "none was tried"
  /// The number of attempts to connect so far.
  var attemptCount = 0
  /// Called with the reason whenever a member has failed, for the log.
  package var onFailure: ((EtcdEndpoint, String) -> Void)?

  /// The way to a member.
  enum Link {
    /// Nobody needs a connection.
    case idle
    /// All members have failed; the next attempt is at this time.
    case pausing(until: Duration)
    /// One member is asked, and others beside it from `nextAt` on.
    case connecting([Attempt], nextAt: Duration?)
    case ready(EtcdConnection, pingedAt: Duration?)
    case closed
  }

  /// A connection that is being made.
  struct Attempt {
    let number: Int
    let member: Int
    let connection: EtcdConnection
    let until: Duration
  }

  /// Creates a client, which connects with the first call or stream.
  /// - Throws: The error of the TLS files.
  package init(on loop: EventLoop, _ settings: EtcdSettings) throws(EtcdClientError) {
    (self.loop, self.settings) = (loop, settings)
    rotation = EndpointRotation(count: settings.endpoints.count, seed: settings.seed)
    do throws(TLSError) { credentials = try settings.credentials() } catch { throw .tls(error) }
    do throws(UVError) {
      timer = try DeadlineTimer(on: loop) { [weak self] in self?.handleDeadlines() }
    } catch {
      throw .loop(error)
    }
  }

  /// Reads the TLS files again, for the next connections. On failure, the old ones remain.
  package func reload() throws(TLSError) { credentials = try settings.credentials() }

  /// A warning from 14 days before the own certificate expires; nil before that.
  package func expiryWarning(at secondsSince1970: Int64) -> String? {
    credentials?.expiryWarning(at: secondsSince1970)
  }

  /// Ends all calls and streams. No callback of streams follows.
  package func close() {
    if case .closed = link { return }
    var connections = connection.map { [$0] } ?? []
    if case .connecting(let attempts, _) = link { connections = attempts.map(\.connection) }
    link = .closed
    timer = nil
    let pending = (waiting, sent.values.sorted { $0.deadline < $1.deadline })
    (waiting, sent, streams, opened) = ([], [:], [], [:])
    for connection in connections { _ = connection.close() }
    for call in pending.0 { call.fail(.closed, .none) }
    for call in pending.1 { call.fail(.closed, .unknown) }
  }

  var connection: EtcdConnection? { if case .ready(let connection, _) = link { connection } else { nil } }

  /// The member that is asked; nil while there is no connection.
  package var endpoint: EtcdEndpoint? { connection?.endpoint }

  // MARK: Calls

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - timeout: The time until the deadline.
  ///   - silence: The time within which the member must have sent something, whatever it is; nil for the timeout. It is
  ///     for calls that a member answers without the others: one that is silent counts as gone.
  ///   - connection: The number of the only connection over which it may be sent (`connectionCount`); nil for any.
  ///   - then: Called once, with the answer or the error, possibly before this returns.
  package func call<Request: EtcdRequest>(
    _ request: Request, timeout: Duration, silence: Duration? = nil, over connection: UInt64? = nil,
    then: @escaping (Result<Request.Response, EtcdError>) -> Void
  ) {
    let now = loop.preciseNow
    let call = UnaryCall(Request.path, request.bytes, timeout: timeout, deadline: now + timeout) { result in
      then(result.flatMap { Self.decode($0, Request.self) })
    }
    (call.silence, call.connection) = (silence, connection)
    if case .closed = link { return call.fail(.closed, .none) }
    guard waiting.count < settings.waitingCalls else { return call.fail(.tooManyCalls, .none) }
    waiting.append(call)
    wake(at: call.deadline)
    advance()
  }

  private static func decode<Request: EtcdRequest>(
    _ bytes: [UInt8], _: Request.Type
  ) -> Result<Request.Response, EtcdError> {
    do throws(ProtobufError) {
      return .success(try Request.Response(decoding: bytes))
    } catch {
      return .failure(
        EtcdError(call: Request.path, endpoint: nil, reason: .violation("\(error)"), effect: .unknown))
    }
  }

  // MARK: Streams

  /// Opens a stream, now or with the next connection, and again after each failure.
  func open(_ stream: EtcdStream) {
    if case .closed = link { return }
    streams.append(stream)
    advance()
  }

  /// Ends a stream.
  func cancel(_ stream: EtcdStream) {
    streams.removeAll { $0 === stream }
    guard let call = stream.call.take() else { return }
    opened[call] = nil
    _ = connection?.cancel(call)
  }

  /// Ends the call of a stream and begins it anew.
  func restart(_ stream: EtcdStream) {
    guard let call = stream.call.take() else { return }
    opened[call] = nil
    _ = connection?.cancel(call)
    pause(stream)
  }

  func pause(_ stream: EtcdStream) {
    stream.opensAt = loop.now + settings.streamPause
    wake(at: stream.opensAt)
  }
}
