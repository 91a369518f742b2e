internal import CCurl
package import EventLoop

/// Sends requests to web servers on the loop, without a thread. It uses libcurl's multi-socket interface with the
/// loop's polls and one timer.
///
/// At most five redirects are followed. Certificates are verified with the system's certificates. Source:
/// curl_multi_socket_action(3).
@MainActor
package final class HTTPClient {
  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private var timer: Timer?
  private var polls: [CInt: SocketPoll] = [:]
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
  private var lastNumber: UInt64 = 0

  /// A poll in a class, so that a dictionary can store it.
  private final class SocketPoll {
    let poll: Poll

    init(_ poll: consuming Poll) {
      self.poll = poll
    }
  }

  /// A request in progress.
  private final class Transfer {
    let number: UInt64
    let limit: Int
    let timeout: Duration
    let continuation: CheckedContinuation<HTTPResponse, any Error>
    var body: [UInt8] = []
    var isTooLarge = false

    init(
      number: UInt64, limit: Int, timeout: Duration, continuation: CheckedContinuation<HTTPResponse, any Error>
    ) {
      (self.number, self.limit, self.timeout, self.continuation) = (number, limit, timeout, continuation)
    }

    /// Accepts a piece of the body, or refuses it if the body gets too large.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
      guard body.count + bytes.count <= limit else {
        isTooLarge = true
        return 0
      }
      body.append(contentsOf: bytes)
      return bytes.count
    }
  }

  /// Creates a client on a loop, which must outlive the client.
  package init(loop: EventLoop) throws(UVError) {
    self.loop = loop
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let multi = curl_multi_init() else { preconditionFailure("libcurl has no memory for a client") }
    self.multi = multi
    timer = try Timer(on: loop) { [weak self] in self?.act(on: CURL_SOCKET_TIMEOUT, 0) }
    ccurl_set_callbacks(multi, onSocket, onTimer, Unmanaged.passUnretained(self).toOpaque())
  }

  isolated deinit {
    for (easy, transfer) in transfers {
      curl_multi_remove_handle(multi, easy)
      curl_easy_cleanup(easy)
      transfer.continuation.resume(throwing: CancellationError())
    }
    curl_multi_cleanup(multi)
  }

  /// Sends a GET request.
  ///
  /// - Parameters:
  ///   - url: An absolute http or https URL.
  ///   - timeout: The time for the whole request, redirects included.
  ///   - limit: The maximum size of the body in bytes.
  /// - Throws: `HTTPError`, or `CancellationError` if the task is cancelled, which ends the transfer.
  package func get(_ url: String, timeout: Duration, limit: Int = 64 * 1024) async throws -> HTTPResponse {
    guard let easy = curl_easy_init() else { preconditionFailure("libcurl has no memory for a request") }
    lastNumber += 1
    let number = lastNumber
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start(easy, url, Transfer(number: number, limit: limit, timeout: timeout, continuation: continuation))
      }
    } onCancel: {
      Task { @MainActor [weak self] in self?.cancel(number) }
    }
  }

  private func start(_ easy: UnsafeMutableRawPointer, _ url: String, _ transfer: Transfer) {
    guard !Task.isCancelled else {
      curl_easy_cleanup(easy)
      return transfer.continuation.resume(throwing: CancellationError())
    }
    do throws(HTTPError) {
      _ = try WebAddress(url)
    } catch {
      curl_easy_cleanup(easy)
      return transfer.continuation.resume(throwing: error)
    }
    ccurl_set_string(easy, CURLOPT_URL, url)
    let milliseconds = transfer.timeout / .milliseconds(1)
    ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, max(Int(milliseconds), 1))
    ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    // Otherwise the end of a transfer waits on the loop's thread for its resolver, even if no name server answers.
    ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 1)
    ccurl_set_long(easy, CURLOPT_MAXREDIRS, 5)
    ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_string(easy, CURLOPT_USERAGENT, "storehub")
    ccurl_set_writer(easy, onBody, Unmanaged.passUnretained(transfer).toOpaque())
    transfers[easy] = transfer
    curl_multi_add_handle(multi, easy)
  }

  private func cancel(_ number: UInt64) {
    guard let easy = transfers.first(where: { $0.value.number == number })?.key, let transfer = end(easy) else {
      return
    }
    transfer.continuation.resume(throwing: CancellationError())
  }

  private func end(_ easy: UnsafeMutableRawPointer) -> Transfer? {
    guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    return transfer
  }

  // MARK: Requests of libcurl to the loop

  fileprivate func watch(_ socket: CInt, _ what: CInt) {
    guard what != CURL_POLL_REMOVE else {
      polls[socket] = nil
      return
    }
    var events: Poll.Events = []
    if what & CURL_POLL_IN != 0 { events.insert(.readable) }
    if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
    do throws(UVError) {
      if polls[socket] == nil { polls[socket] = SocketPoll(try poll(of: socket)) }
      try polls[socket]?.poll.start(events)
    } catch {
      // If the socket cannot be watched, libcurl's own time limit ends the transfer.
      polls[socket] = nil
    }
  }

  private func poll(of socket: CInt) throws(UVError) -> Poll {
    try Poll(on: loop, descriptor: socket) { [weak self] result in
      switch result {
      case .success(let events):
        let bits =
          (events.contains(.readable) ? CURL_CSELECT_IN : 0) | (events.contains(.writable) ? CURL_CSELECT_OUT : 0)
        self?.act(on: socket, bits)
      case .failure:
        self?.act(on: socket, CURL_CSELECT_ERR)
      }
    }
  }

  fileprivate func wait(_ milliseconds: Int) {
    // Zero does not mean now: libcurl must not be called from its own callback.
    if milliseconds < 0 { timer?.stop() } else { timer?.start(after: .milliseconds(milliseconds)) }
  }

  private func act(on socket: curl_socket_t, _ bits: CInt) {
    var running: CInt = 0
    curl_multi_socket_action(multi, socket, bits, &running)
    var result = CURLE_OK
    while let easy = ccurl_next_done(multi, &result) {
      let status = ccurl_status(easy)
      guard let transfer = end(easy) else { continue }
      transfer.continuation.resume(with: Self.outcome(of: transfer, result, status: status))
    }
  }

  private static func outcome(of transfer: Transfer, _ result: CURLcode, status: Int) -> Result<HTTPResponse, any Error>
  {
    switch result {
    case CURLE_OK: .success(HTTPResponse(status: status, body: transfer.body))
    case CURLE_OPERATION_TIMEDOUT: .failure(HTTPError.timedOut(after: transfer.timeout))
    case _ where transfer.isTooLarge: .failure(HTTPError.tooLarge(limit: transfer.limit))
    default: .failure(HTTPError.transport(String(cString: curl_easy_strerror(result))))
    }
  }

  fileprivate static func take(_ context: UnsafeMutableRawPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().take(bytes)
  }
}

// MARK: - Callbacks from libcurl, which run within our calls on the loop's thread

/// Sendable for the duration of a callback: it is created and used on the loop's thread.
private nonisolated struct OnLoop<Arguments>: @unchecked Sendable {
  let arguments: Arguments
}

private nonisolated let onSocket: ccurl_on_socket = { _, socket, what, context, _ in
  let carried = OnLoop(arguments: context)
  MainActor.assumeIsolated {
    Unmanaged<HTTPClient>.fromOpaque(carried.arguments).takeUnretainedValue().watch(socket, what)
  }
  return 0
}

private nonisolated let onTimer: ccurl_on_timer = { _, milliseconds, context in
  let carried = OnLoop(arguments: context)
  MainActor.assumeIsolated {
    Unmanaged<HTTPClient>.fromOpaque(carried.arguments).takeUnretainedValue().wait(milliseconds)
  }
  return 0
}

private nonisolated let onBody: ccurl_write = { bytes, size, count, context in
  let carried = OnLoop(arguments: (context, UnsafeRawBufferPointer(start: bytes, count: size * count)))
  return MainActor.assumeIsolated { HTTPClient.take(carried.arguments.0, carried.arguments.1) }
}
