import ClusterCore
package import ClusterLog
package import EtcdClient
package import EventLoop
import Wire

/// The log of a cluster in etcd, for the commands of an operator. A call is repeated until it has an answer, or its time
/// is over.
package final class OperatedLog {
  private let client: EtcdClient
  let store: EtcdLogStore
  private let loop: EventLoop
  let timeout: Duration
  private var lastFailure = ""
  /// Called once `remove` waits for a process that may run.
  package var onProbe: (() -> Void)?
  /// Asked between two calls: true if the operator has interrupted the command.
  package var isInterrupted: () -> Bool = { false }

  /// Connects with the first call.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - etcd: The members.
  ///   - log: The keys of the log.
  ///   - timeout: The time for an answer.
  package init(
    on loop: EventLoop, _ etcd: EtcdSettings, _ log: EtcdLogStore.Settings, timeout: Duration
  ) throws(EtcdClientError) {
    (self.loop, self.timeout) = (loop, timeout)
    client = try EtcdClient(on: loop, etcd)
    do throws(UVError) { store = try EtcdLogStore(client, on: loop, log) } catch { throw .loop(error) }
    client.onFailure = { [weak self] in self?.lastFailure = "etcd at \($0): \($1)" }
  }

  /// Ends the connection.
  package func close() {
    store.close()
    client.close()
  }

  // MARK: Calls

  /// Makes calls until one has an answer.
  func repeated<Answer: Sendable>(
    _ call: (@escaping (Answer?) -> Void) -> Void
  ) async throws(OperatedLogError) -> Answer {
    let end = ContinuousClock.now + timeout
    while true {
      let answer = await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
      // Success is reported even after an interruption.
      if let answer { return answer }
      if isInterrupted() { throw .interrupted }
      guard ContinuousClock.now < end else { throw .noAnswer(lastFailure) }
    }
  }

  func transact(
    _ transaction: LogTransaction, in expected: UInt64? = nil
  ) async throws(OperatedLogError) -> (store: UInt64, outcome: TransactionOutcome) {
    let answer = try await repeated { [store] then in
      store.transact(transaction, in: expected) { then($1 == .unknown ? nil : (store: $0, outcome: $1)) }
    }
    if answer.outcome == .full { throw .full }
    return answer
  }

  /// Executes a transaction that only reads.
  func read(
    _ transaction: LogTransaction
  ) async throws(OperatedLogError) -> (store: UInt64, values: [StoredValue?]) {
    let answer = try await transact(transaction)
    guard case .refused(let values) = answer.outcome else { throw .noAnswer("etcd has answered what it was not asked") }
    return (answer.store, values)
  }

  private func read(_ read: LogRead) async throws(OperatedLogError) -> LogReading {
    try await repeated { [store] then in
      store.read(read) { if case .failed = $1 { then(nil) } else { then($1) } }
    }
  }

  func pause(_ duration: Duration) async throws(OperatedLogError) {
    let end = ContinuousClock.now + duration
    // In steps, so that an operator need not wait for its end.
    while case let rest = end - ContinuousClock.now, rest > .zero {
      var timer: Timer?
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        timer = try? Timer(on: loop) { continuation.resume() }
        if timer == nil { continuation.resume() }
        timer?.start(after: min(rest, .milliseconds(100)))
      }
      timer = nil
      if isInterrupted() { throw .interrupted }
    }
  }

  // MARK: Continuing the log

  /// Reads what etcd has of the log, for a journal that ends at a position.
  package func inspect(at position: UInt64) async throws(OperatedLogError) -> StoredLog {
    let found = try await read(.inspection(at: position))
    return StoredLog(found.values, at: position, in: found.store)
  }

  /// Reads what the log has after the end of a journal, up to the first entry that no hub could apply.
  package func tail(after journal: JournalPlace, in found: StoredLog) async throws(OperatedLogError) -> LogTail {
    var tail = LogTail(after: journal, upTo: found.positions?.upperBound ?? 0)
    var end = ContinuousClock.now + timeout
    while let next = tail.next {
      if isInterrupted() { throw .interrupted }
      guard case .entries(let entries, _, _, _) = try await read(.entries(from: next)) else { continue }
      if entries.isEmpty {
        // A member that lags behind.
        guard ContinuousClock.now < end else { throw .noAnswer("etcd does not send entry \(next)") }
        try await pause(.milliseconds(100))
        continue
      }
      for value in entries {
        guard let entry = tail.check(value) else { continue }
        var turns = try await turns(of: entry, after: journal)
        // A member that lags behind may not have the parts of an entry that another one has sent.
        let patience = ContinuousClock.now + min(timeout, Self.longestLag)
        while turns == nil, ContinuousClock.now < patience {
          try await pause(.milliseconds(100))
          turns = try await self.turns(of: entry, after: journal)
        }
        if turns == nil {
          tail.lose(entry.entry.position, "parts of its turn are missing or damaged", revision: value.revision)
        } else {
          tail.accept(entry)
        }
      }
      // The entry, and all up to the end, were removed since the inspection.
      guard tail.next != next else { throw .changed }
      end = ContinuousClock.now + timeout
    }
    return tail
  }

  /// How long a member of the store may be behind another one that has answered.
  private static let longestLag = Duration.seconds(10)

  /// Returns the nodes whose journals were proved to have an entry, in order. Others may have it as well: a journal is
  /// proved when its hub starts.
  package func nodes(thatHave position: UInt64) async throws(OperatedLogError) -> [NodeName] {
    let records = try await repeated { [store] in store.readRegistrations(then: $0) }
    return records.compactMap { record -> NodeName? in
      guard case .node(let name) = record.key,
        let registration = try? NodeRegistration(decoding: record.bytes.span.bytes), !registration.isRemoval
      else { return nil }
      return registration.position >= position ? name : nil
    }.sorted()
  }

  /// Waits, and returns true if nobody has changed the log since the inspection.
  package func isQuiet(
    _ found: StoredLog, at position: UInt64, for time: Duration
  ) async throws(OperatedLogError) -> Bool {
    try await pause(time)
    return try await inspect(at: position) == found
  }

  /// Changes the log of the store of a history.
  package func change(_ transaction: LogTransaction, to history: LogHistory) async throws(OperatedLogError) {
    switch try await transact(transaction, in: history.store).outcome {
    case .written: return
    case .refused(let values):
      // An earlier attempt without an answer may have succeeded: then the key has what it writes.
      guard let value = values.first ?? nil, transaction.writes.contains(.put(value.key, value.bytes)) else {
        throw .changed
      }
    case .elsewhere, .full, .unknown: throw .changed
    }
  }

  // MARK: Verifying

  /// Verifies that a journal and the log belong together, and reads all entries that the log has.
  ///
  /// - Parameters:
  ///   - journal: The end of the journal, which was read before.
  ///   - check: Returns what is wrong with the turns of an entry. It gets the number of the first one, the encoded turns,
  ///     and the position of the entry. It is not asked if the journal is that of another log.
  package func verify(
    _ journal: JournalPlace, turns check: (UInt64, [[UInt8]], UInt64) -> [LogDifference]
  ) async throws(OperatedLogError) -> (log: LogVerification, nodes: [StoredValue]) {
    // Before the end of the log, which these nodes have seen.
    let nodes = try await repeated { [store] in store.readRegistrations(then: $0) }
    let keys = try await read(.inspection(at: journal.position))
    var log = LogVerification(keys.values, journal: journal, registrations: nodes, in: keys.store)
    var end = ContinuousClock.now + timeout
    while let next = log.next {
      if isInterrupted() { throw .interrupted }
      guard case .entries(let entries, let first, _, _) = try await read(.entries(from: next)) else { continue }
      if let first, first > next {
        log.skipRemoved(before: first)
      } else if entries.isEmpty {
        // A member that lags behind.
        guard ContinuousClock.now < end else { throw .noAnswer("etcd does not send entry \(next)") }
        try await pause(.milliseconds(100))
        continue
      }
      for value in entries {
        guard let entry = log.check(value) else { continue }
        guard let turns = try await turns(of: entry, after: journal) else {
          log.note(.missingParts(entry.entry.position))
          continue
        }
        guard !log.isForeign else { continue }
        for difference in check(turns.first, turns.turns, entry.entry.position) { log.note(difference) }
      }
      end = ContinuousClock.now + timeout
    }
    return (log, nodes)
  }

  /// The turns of an entry; nil if their parts are missing, although the log has the entry.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - journal: The end of the journal with which the log is compared.
  private func turns(
    of entry: EncodedEntry, after journal: JournalPlace
  ) async throws(OperatedLogError) -> (first: UInt64, turns: [[UInt8]])? {
    switch entry.entry.content {
    case .opening, .handover: return (0, [])
    case .turns(let first, let turns): return (first, turns)
    case .parts(let number, let described):
      let (position, process) = (entry.entry.position, entry.entry.leader.process)
      let parts = try await read(.parts(position: position, process: process, count: described.count))
      if case .parts(let parts) = parts, let turn = described.turn(from: parts) { return (number, [turn]) }
      // They are removed together with the entry.
      guard case .entries(_, let first, _, _) = try await read(.entries(from: position)), let first else { return nil }
      if first > position { return (0, []) }
      // A log that `restore` has begun with the last entry of a journal has no parts of it, and no node reads them: one
      // goes on there only if its journal has the turn.
      guard case .parts(let found) = parts, found.isEmpty, position == first, position <= journal.position else {
        return nil
      }
      return (0, [])
    }
  }

  // MARK: Removing a node

  /// The result of `remove`.
  package enum Removal: Equatable, Sendable {
    /// The node was removed. This is the position up to which it had proved its journal; nil if it was not registered.
    case removed(position: UInt64?)
    /// It was removed before. Nothing was changed.
    case unchanged
    /// The node leads, in this term. Nothing was changed.
    case leads(term: UInt64)
    /// A process runs as the node. It has restored its registration.
    case runs
  }

  /// The time in which a process that runs restores a registration that was replaced: it looks every 2 s.
  package static let answerTime = Duration.seconds(7)

  /// Removes a node that does not run: the log has a removal in place of its registration from then on.
  ///
  /// To find out whether it runs, the registration is replaced as by another process of the node: one that runs takes its
  /// name back. A process that is cut off from etcd, or stopped, ends when it finds the removal.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - wait: The time in which a process that runs restores its registration.
  package func remove(
    _ node: NodeName, waiting wait: Duration = OperatedLog.answerTime
  ) async throws(OperatedLogError) -> Removal {
    let (id, values) = try await read(.nodeInspection(of: node))
    func value(_ read: LogTransaction.NodeReads) -> StoredValue? { values[read.rawValue] }
    if let leader = value(.leader).flatMap({ try? Leadership(decoding: $0.bytes.span.bytes) }), leader.node == node {
      return .leads(term: leader.term)
    }
    guard let found = value(.node) else {
      return try await put(.removal(position: 0), for: node, replacing: nil, in: id) ? .removed(position: nil) : .runs
    }
    let registration = try? NodeRegistration(decoding: found.bytes.span.bytes)
    if registration?.isRemoval == true { return .unchanged }
    let position = registration?.position ?? 0
    let probe = NodeRegistration(
      process: .random(in: 1 ... .max), ordinal: (registration?.ordinal ?? 0) + 1, position: position)
    guard try await put(probe, for: node, replacing: found.bytes, in: id) else { return .runs }
    onProbe?()
    let (bytes, end) = (probe.encoded(), ContinuousClock.now + wait)
    while ContinuousClock.now < end {
      try await pause(.milliseconds(250))
      guard try await read(.nodeInspection(of: node)).values[LogTransaction.NodeReads.node.rawValue]?.bytes == bytes
      else { return .runs }
    }
    let isRemoved = try await put(.removal(position: position), for: node, replacing: bytes, in: id)
    return isRemoved ? .removed(position: position) : .runs
  }

  /// Puts a value in place of a node's registration. Returns false if that is another one meanwhile.
  private func put(
    _ registration: NodeRegistration, for node: NodeName, replacing replaced: [UInt8]?, in store: UInt64
  ) async throws(OperatedLogError) -> Bool {
    switch try await transact(.register(node, as: registration, replacing: replaced), in: store).outcome {
    case .written: true
    // An earlier attempt without an answer has succeeded.
    case .refused(let values): values.first??.bytes == registration.encoded()
    case .elsewhere, .full, .unknown: false
    }
  }

  /// Takes a removed node back. Its hub registers when it starts.
  ///
  /// - Returns: False if the node was not removed, so that nothing was changed.
  package func add(_ node: NodeName) async throws(OperatedLogError) -> Bool {
    let (id, values) = try await read(.nodeInspection(of: node))
    guard let found = values[LogTransaction.NodeReads.node.rawValue],
      (try? NodeRegistration(decoding: found.bytes.span.bytes))?.isRemoval == true
    else { return false }
    switch try await transact(.readmit(node, replacing: found.bytes), in: id).outcome {
    // Or an earlier attempt, or another operator, has done it, and the node may have registered since.
    case .written, .refused: return true
    case .elsewhere, .full, .unknown: throw .changed
    }
  }
}

/// The reason why a command for an operator has ended.
package enum OperatedLogError: Error, Equatable, Sendable {
  case interrupted
  /// The store is full.
  case full
  /// The store did not answer in time, with the last failure.
  case noAnswer(String)
  /// Another program has changed the log meanwhile. This one has not.
  case changed
}
