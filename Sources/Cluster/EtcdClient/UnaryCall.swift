import EtcdMessages

/// A call without an answer, which `finish` ends once.
final class UnaryCall {
  let path: String
  let message: [UInt8]
  let timeout: Duration
  let deadline: Duration
  /// The time within which the member must have sent something; nil for the timeout.
  var silence: Duration?
  /// The time at which it was sent.
  var sentAt = Duration.zero
  var answer: [UInt8]?
  var endpoint: EtcdEndpoint?
  /// The number of the only connection over which it may be sent; nil for any.
  var connection: UInt64?
  let finish: (Result<[UInt8], EtcdError>) -> Void

  init(
    _ path: String, _ message: [UInt8], timeout: Duration, deadline: Duration,
    _ finish: @escaping (Result<[UInt8], EtcdError>) -> Void
  ) {
    (self.path, self.message, self.timeout, self.deadline) = (path, message, timeout, deadline)
    self.finish = finish
  }

  /// The time at which it counts as unanswered.
  ///
  /// - Parameter time: The time at which the member has last sent something.
  func expiry(heardAt time: Duration) -> Duration {
    guard let silence, time <= sentAt else { return deadline }
    return min(deadline, sentAt + silence)
  }

  func fail(_ reason: EtcdError.Reason, _ effect: EtcdError.Effect) {
    finish(.failure(EtcdError(call: path, endpoint: endpoint, reason: reason, effect: effect)))
  }
}
