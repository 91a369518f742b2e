package import EtcdMessages
package import GRPCConnection

/// A call of etcd without an answer that counts: which call, of which member, why, and whether it may have taken effect.
package nonisolated struct EtcdError: Error, Hashable, Sendable {
  /// Whether the call may have taken effect.
  package enum Effect: Hashable, Sendable {
    /// Certainly not, and it will not.
    case none
    /// It may have, or may still do so. Only repeating a transaction tells.
    case unknown
  }

  /// The reason.
  package enum Reason: Hashable, Sendable {
    /// No connection was made in time, with the last failure.
    case notConnected(String)
    /// The member has not answered in time.
    case deadline(Duration)
    /// The connection has ended.
    case disconnected(String)
    /// The store has no space: nothing is written before it was compacted, defragmented, and its alarm ended.
    case full
    /// The revision was compacted.
    case compacted
    /// etcd has refused the call, or could not finish it.
    case status(GRPCStatus)
    /// The answer violates the protocol.
    case violation(String)
    /// More calls wait than the limit.
    case tooManyCalls
    /// The client was closed.
    case closed
  }

  /// The path of the call.
  package let call: String
  /// The member that was asked last; nil if there was none.
  package let endpoint: EtcdEndpoint?
  package let reason: Reason
  package let effect: Effect
}

nonisolated extension EtcdError: CustomStringConvertible {
  package var description: String {
    let name = call.split(separator: "/").last ?? ""
    let member = endpoint.map { " of \($0)" } ?? ""
    let effect = effect == .unknown ? "; it may have taken effect" : ""
    return "etcd's \(name)\(member): \(reason)\(effect)"
  }
}

nonisolated extension EtcdError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notConnected(let failure): "no connection (\(failure))"
    case .deadline(let time): "no answer within \(time)"
    case .disconnected(let failure): "the connection has ended (\(failure))"
    case .full: "the store is full: compact and defragment it, then end its alarm (etcdctl alarm disarm)"
    case .compacted: "the revision was compacted"
    case .status(let status): "\(status)"
    case .violation(let reason): "the answer cannot be used (\(reason))"
    case .tooManyCalls: "too many calls wait"
    case .closed: "the client was closed"
    }
  }
}

nonisolated extension EtcdError {
  /// The reason and the effect of a call that has ended without success.
  static func classify(_ outcome: GRPCOutcome) -> (Reason, Effect) {
    let effect = outcome.mayHaveBeenProcessed ? Effect.unknown : .none
    switch outcome.result {
    case .failure(.disconnected): return (.disconnected("\(GRPCFailure.disconnected)"), effect)
    case .failure(let failure): return (.violation("\(failure)"), effect)
    case .success(let status):
      switch status.code {
      case .resourceExhausted where status.message.contains("database space exceeded"): return (.full, .none)
      case .outOfRange where status.message.contains("compacted"): return (.compacted, .none)
      // etcd has checked the call before it did anything. All others, also an unavailable leader, may come afterwards.
      case .invalidArgument, .notFound, .permissionDenied, .resourceExhausted, .failedPrecondition, .outOfRange,
        .unimplemented, .unauthenticated:
        return (.status(status), .none)
      default: return (.status(status), effect)
      }
    }
  }

  /// True if another member may do better.
  static func isOfMember(_ outcome: GRPCOutcome) -> Bool {
    switch outcome.result {
    case .failure: true
    case .success(let status): [.unavailable, .deadlineExceeded, .cancelled].contains(status.code)
    }
  }
}
