import ClusterCore
package import ClusterLog
import EtcdClient
import Wire

/// The hub that leads, and the stores that share an etcd.
extension OperatedLog {
  /// Finds the stores in this etcd whose prefixes have the same parent as that of this log, in order.
  ///
  /// - Returns: Their prefixes, and true if the search was given up because other programs have too many keys there.
  package func neighbours() async throws(OperatedLogError) -> (stores: [String], isIncomplete: Bool) {
    let found: Neighbours = try await repeated { [store] then in
      store.readNeighbours { then($0.map { Neighbours(stores: $0.stores, isIncomplete: $0.isIncomplete) }) }
    }
    return (found.stores, found.isIncomplete)
  }

  private nonisolated struct Neighbours {
    let stores: [String]
    let isIncomplete: Bool
  }

  /// Finds the stores whose prefixes are the beginning of that of this log, or begin with it.
  package func overlaps() async throws(OperatedLogError) -> [String] {
    try await repeated { [store] in store.readOverlaps(then: $0) }
  }

  /// The result of a question to the hub that leads.
  package nonisolated enum LeaderAnswer: Equatable, Sendable {
    case reply(LeaderReply)
    /// No hub has answered in time. This is the last leadership; nil if there was none, or it cannot be read.
    case silence(Leadership?)
    /// There is no log below the prefix.
    case absent
  }

  /// The time after which a question is asked again. A watch of etcd may lose one.
  private static let askInterval = Duration.milliseconds(500)

  /// Asks the hub that leads, whichever it is, for its part and that of the other nodes.
  package func askLeader() async throws(OperatedLogError) -> LeaderAnswer {
    let inquiry = LeaderInquiry(id: .random(in: 0 ... .max), .report)
    let answer = try await ask(inquiry) { _ in false }
    return answer ?? .silence(nil)
  }

  /// The result of a handover.
  package nonisolated enum Handover: Equatable, Sendable {
    /// This one leads. It is another node than the chosen one if that was not there in time.
    case leads(Leadership)
    /// The hub that leads has refused, for this reason.
    case refused(String)
    /// Nothing has changed in time.
    case silence
  }

  /// Has the leader of a term pass the leadership on to a node, and waits until another one leads.
  package func handOver(_ leader: Leadership, to node: NodeName) async throws(OperatedLogError) -> Handover {
    let inquiry = LeaderInquiry(id: .random(in: 0 ... .max), .handover(to: node, term: leader.term))
    var successor: Leadership?
    let answer = try await ask(inquiry) { found in
      guard found.term > leader.term else { return false }
      successor = found
      return true
    }
    if let successor { return .leads(successor) }
    guard case .reply(let reply)? = answer, !reply.refusal.isEmpty else { return .silence }
    return .refused(reply.refusal)
  }

  /// Asks until there is an answer that ends the question, or the time is over.
  ///
  /// - Parameters:
  ///   - inquiry: The question. That of a handover ends with a refusal; an answer without one only tells that the leader
  ///     has begun.
  ///   - ends: Returns true if the question ends with a leadership.
  /// - Returns: The answer; nil if the question has ended with a leadership.
  private func ask(
    _ inquiry: LeaderInquiry, unless ends: (Leadership) -> Bool
  ) async throws(OperatedLogError) -> LeaderAnswer? {
    let end = ContinuousClock.now + timeout
    var askAgain = ContinuousClock.now
    while true {
      let values = try await read(.leaderInspection).values
      func value(_ read: LogTransaction.LeaderReads) -> StoredValue? { values[read.rawValue] }
      guard value(.history) != nil else { return .absent }
      let leader = value(.leader).flatMap { try? Leadership(decoding: $0.bytes.span.bytes) }
      if let leader, ends(leader) {
        await withdraw()
        return nil
      }
      if let reply = value(.reply).flatMap({ try? LeaderReply(decoding: $0.bytes.span.bytes) }), reply.id == inquiry.id,
        inquiry.request == .report || !reply.refusal.isEmpty
      {
        await withdraw()
        return .reply(reply)
      }
      guard ContinuousClock.now < end else {
        await withdraw()
        return .silence(leader)
      }
      if ContinuousClock.now >= askAgain {
        askAgain = .now + Self.askInterval
        _ = try await transact(.inquiry(inquiry))
      }
      try await pause(.milliseconds(20))
    }
  }

  /// Removes the question and the answer, if etcd still answers. A hub that starts later would not see them in any case.
  private func withdraw() async { _ = try? await transact(.inquiry(nil)) }
}
