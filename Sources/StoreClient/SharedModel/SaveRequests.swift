internal import Sharing

/// The changes of a reference that have no outcome, and the requests to save, each of which waits for the changes made
/// before it.
nonisolated struct SaveRequests {
  /// A request to report to.
  struct Request {
    fileprivate let continuation: SaveContinuation
    /// The last change before the request.
    fileprivate let lastChange: UInt64
    /// The number of changes before the request without an outcome.
    fileprivate var pendingCount: Int
    /// The first failure of these changes.
    fileprivate var failure: (any Error)?

    func resume() {
      if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
    }
  }

  private var waiting: [Request] = []
  private var lastChange: UInt64 = 0
  /// The number of changes without an outcome.
  private(set) var pendingCount = 0
  /// The failure of the last change with an outcome, if no request has reported it.
  private var failure: (any Error)?

  /// Counts a change; returns its number.
  mutating func beginChange() -> UInt64 {
    lastChange += 1
    pendingCount += 1
    return lastChange
  }

  /// Takes the outcome of a change.
  ///
  /// - Returns: The requests that wait no longer; resume them when nothing else accesses this value.
  mutating func endChange(_ change: UInt64, _ error: (any Error)?) -> [Request] {
    pendingCount -= 1
    var isReported = false
    for index in waiting.indices where change <= waiting[index].lastChange {
      waiting[index].pendingCount -= 1
      waiting[index].failure = waiting[index].failure ?? error
      isReported = true
    }
    failure = isReported ? nil : error
    defer { waiting.removeAll { $0.pendingCount == 0 } }
    return waiting.filter { $0.pendingCount == 0 }
  }

  /// Adds a request.
  ///
  /// - Returns: The request if it need not wait.
  mutating func add(_ continuation: SaveContinuation) -> Request? {
    let request = Request(
      continuation: continuation, lastChange: lastChange, pendingCount: pendingCount, failure: failure)
    failure = nil
    guard pendingCount > 0 else { return request }
    waiting.append(request)
    return nil
  }
}
