package import ClusterCore
package import ClusterLog
package import EtcdClient
import EtcdMessages
package import EventLoop
import Wire

/// The log of a cluster in etcd: executes the commands of `ClusterCore` that concern the store.
///
/// Each answer comes with the id of etcd's cluster, by which a restored backup is recognized. A transaction without an
/// answer is `unknown`, and is not repeated here: the core repeats it until it has one.
///
/// ```swift
/// case .transact(let number, let transaction, let id):
///   store.transact(transaction, in: id) { core.transactionEnded(number, in: $0, $1) }
/// ```
package final class EtcdLogStore {
  /// The settings of a log.
  package nonisolated struct Settings: Sendable {
    /// The beginning of the keys, such as `storehub/NAME/`, so that several logs share an etcd.
    package var prefix: String
    /// The time for a transaction or a read. Each MiB that a transaction writes adds a second. It grows up to eightfold
    /// while answers are missing.
    package var timeout = Duration.milliseconds(300)
    /// The time before a failure is reported that came at once, because the core repeats at once.
    package var failurePause = Duration.milliseconds(25)

    /// Creates settings with the default times.
    package init(prefix: String) { self.prefix = prefix }
  }

  private let client: EtcdClient
  private let settings: Settings
  private let requests: LogRequests
  private var watch: EtcdWatch?
  private var patience: CallPatience
  private var readPatience: CallPatience
  private var readSize = ReadSize()
  /// The position of the first entry, as of the last read.
  private var firstPosition: UInt64?
  /// The id of the cluster, as of the last answer.
  private var store: UInt64 = 0
  /// The number of the connection over which that came.
  private var knownOver: UInt64 = 0
  private var timer: Timer?
  /// The failures that are reported when the pause has passed.
  private var late: [() -> Void] = []
  /// Called with each call that has failed, for the log.
  package var onFailure: ((EtcdError) -> Void)?
  /// The nodes that were removed from the cluster, in order, as of the last read of a registration.
  package private(set) var removedNodes: [NodeName] = [] {
    didSet { if removedNodes != oldValue { onRemovedNodes?() } }
  }
  /// Called when `removedNodes` has changed.
  package var onRemovedNodes: (() -> Void)?
  /// The number of transactions whose outcome was unknown.
  package private(set) var unknownOutcomes = 0

  /// Creates a store.
  package init(_ client: EtcdClient, on loop: EventLoop, _ settings: Settings) throws(UVError) {
    (self.client, self.settings, requests) = (client, settings, LogRequests(prefix: settings.prefix))
    patience = CallPatience(shortest: settings.timeout)
    readPatience = CallPatience(shortest: settings.timeout)
    timer = try Timer(on: loop) { [weak self] in self?.reportLate() }
  }

  /// Ends the watch. Failures are not reported any more.
  package func close() {
    watch.take()?.cancel()
    timer = nil
    late = []
  }

  // MARK: Transactions

  /// Executes a transaction.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - expected: The id of the store for which it is; nil for any. A new connection is asked for the id of its store
  ///     first. If that is another one, nothing is sent, and the outcome is `elsewhere`.
  ///   - then: Called once on a later turn of the loop, with the id of the store and the outcome.
  package func transact(
    _ transaction: LogTransaction, in expected: UInt64? = nil, then: @escaping (UInt64, TransactionOutcome) -> Void
  ) {
    guard let expected else { return send(transaction, over: nil, then) }
    guard knownOver == client.connectionCount, knownOver > 0 else { return learnStore(transaction, expected, then) }
    guard store == expected else { return report { [store] in then(store, .elsewhere) } }
    send(transaction, over: knownOver, then)
  }

  /// Asks for the store's id over a new connection, before a transaction is sent over it: the member may have been
  /// restored from a backup meanwhile.
  private func learnStore(
    _ transaction: LogTransaction, _ expected: UInt64, _ then: @escaping (UInt64, TransactionOutcome) -> Void
  ) {
    client.call(requests.storeRequest, timeout: patience.timeout) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        guard store == expected else { return then(store, .elsewhere) }
        send(transaction, over: knownOver, then)
      case .failure(let error):
        noteFailure(error)
        reportUnknown(then)
      }
    }
  }

  /// Notes why a transaction has no answer.
  private func noteFailure(_ error: EtcdError) {
    if case .deadline = error.reason { patience.noteMissing() }
    onFailure?(error)
  }

  /// Sends a transaction. One that reads the last entry is sent again when it was refused and the place of that entry is
  /// known. Its outcome is that of the second time, since it has done nothing the first time.
  private func send(
    _ transaction: LogTransaction, over connection: UInt64?, ends: LogRequests.Ends = .unknown,
    _ then: @escaping (UInt64, TransactionOutcome) -> Void
  ) {
    let timeout = patience.timeout + .milliseconds(transaction.byteCount >> 10)
    let request = requests.request(transaction, ends: ends)
    client.call(request, timeout: timeout, over: connection) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        patience.noteAnswer()
        switch requests.answer(transaction, ends: ends, response) {
        case .outcome(.unknown): reportUnknown(then)
        case .outcome(let outcome): then(store, outcome)
        case .repeated(let ends): send(transaction, over: connection, ends: ends, then)
        }
      case .failure(let error):
        noteFailure(error)
        if error.reason == .full { return then(store, .full) }
        // Also a call that had no effect: the core knows nothing of calls, and repeats.
        reportUnknown(then)
      }
    }
  }

  private func reportUnknown(_ then: @escaping (UInt64, TransactionOutcome) -> Void) {
    unknownOutcomes += 1
    report { [store] in then(store, .unknown) }
  }

  /// Reports a failure after the pause.
  private func report(_ body: @escaping () -> Void) {
    late.append(body)
    if late.count == 1 { timer?.start(after: settings.failurePause) }
  }

  private func reportLate() {
    let due = late
    late = []
    for body in due { body() }
  }

  private func note(_ header: EtcdHeader?) {
    if let header { (store, knownOver) = (header.cluster, client.connectionCount) }
  }

  /// Forgets what the store keeps of revisions before this one. There is no answer.
  ///
  /// - Parameters:
  ///   - revision: The first revision that is kept.
  ///   - expected: The id of the store. Nothing is sent if the last answer came from another one.
  package func compact(before revision: UInt64, in expected: UInt64) {
    guard store == expected else { return }
    client.call(EtcdCompact(upTo: Int64(clamping: revision)), timeout: .seconds(10)) { [weak self] result in
      // Another node may have compacted further.
      if case .failure(let error) = result, error.reason != .compacted { self?.onFailure?(error) }
    }
  }

  // MARK: Reads

  /// The time for some MiB over a slow network.
  private static let readTime = Duration.seconds(2)

  /// Reads from the member that the client is connected to. One that is silent is left soon: a node that only follows
  /// asks nothing else, and would learn only from its claim that the member's machine is gone.
  ///
  /// - Parameters:
  ///   - read: The read.
  ///   - then: Called once on a later turn of the loop, with the id of the store and the result.
  package func read(_ read: LogRead, then: @escaping (UInt64, LogReading) -> Void) {
    switch read {
    case .entries(let position):
      // If few are expected, nothing follows them.
      readEntries(
        LogRequests.EntriesRead(
          position: position, count: readSize.count, first: firstPosition, isBounded: !readSize.expectsFew), then)
    case .parts(let position, let process, let count):
      readParts(position, process, count, [], then)
    case .registration(let node):
      client.call(
        // Those of all nodes are as cheap as that of one.
        requests.registrationsRequest(isSerializable: true), timeout: settings.timeout + Self.readTime,
        silence: readPatience.timeout
      ) { [weak self] result in
        guard let self else { return }
        switch result {
        case .success(let response):
          note(response.header)
          readPatience.noteAnswer()
          let found = response.values.compactMap(requests.value)
          noteRemoved(found)
          then(store, .registration(found.first { $0.key == .node(node) }))
        case .failure(let error): fail(error, then)
        }
      }
    }
  }

  private func readEntries(_ read: LogRequests.EntriesRead, _ then: @escaping (UInt64, LogReading) -> Void) {
    // Many entries may need longer until their first byte.
    let silence = readSize.expectsFew ? readPatience.timeout : nil
    client.call(
      requests.entriesRequest(read), timeout: settings.timeout + Self.readTime, silence: silence
    ) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        readPatience.noteAnswer()
        let (reading, again) = requests.entriesReading(read, response)
        if let again { return readEntries(again, then) }
        if case .entries(let entries, let first, _, _) = reading {
          let byteCount = entries.reduce(0) { $0 + $1.bytes.count }
          readSize.note(byteCount: byteCount, isFull: entries.count == read.count)
          firstPosition = first
        }
        then(store, reading)
      case .failure(let error):
        readSize.noteFailure()
        fail(error, then)
      }
    }
  }

  private func noteRemoved(_ registrations: [StoredValue]) {
    removedNodes = registrations.compactMap {
      guard case .node(let name) = $0.key,
        (try? NodeRegistration(decoding: $0.bytes.span.bytes))?.isRemoval == true
      else { return nil }
      return name
    }
  }

  /// Reads the registrations of all nodes, through consensus.
  ///
  /// - Parameter then: Called once on a later turn of the loop; with nil if the store did not answer.
  package func readRegistrations(then: @escaping ([StoredValue]?) -> Void) {
    client.call(requests.registrationsRequest(), timeout: settings.timeout + Self.readTime) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        then(response.values.compactMap(requests.value))
      case .failure(let error): fail(error) { _, _ in then(nil) }
      }
    }
  }

  /// Reads the first key of a range, through consensus.
  ///
  /// - Parameter then: Called once on a later turn of the loop: with no keys if the range is empty, with nil if the store
  ///   did not answer.
  func readFirstKey(of range: EtcdKeyRange, then: @escaping ([[UInt8]]?) -> Void) {
    // Keys are in order anyway. Sorted ones would have etcd read the whole range.
    var request = EtcdRange(range, limit: 1)
    request.keysOnly = true
    client.call(request, timeout: settings.timeout + Self.readTime) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        then(response.values.map(\.key))
      case .failure(let error): fail(error) { _, _ in then(nil) }
      }
    }
  }

  /// Finds the stores whose prefixes are the beginning of this one's, or begin with it, if this one has no log yet. An
  /// operator who removes the keys of one would remove those of the other.
  ///
  /// - Parameter then: Called once on a later turn of the loop, with the prefixes; with nil if the store did not answer.
  package func readOverlaps(then: @escaping ([String]?) -> Void) {
    let prefix = settings.prefix
    // The last one is the own prefix.
    let parents = prefix.indices.filter { prefix[$0] == "/" }.map { String(prefix[...$0]) }
    findStores(among: parents[...], []) { [weak self] found in
      guard let self, let found else { return then(nil) }
      guard found.last != prefix else { return then([]) }
      scan(StoreScan(below: prefix)) { below in then(below.map { found + $0.stores }) }
    }
  }

  /// The reason why no log begins below a prefix.
  package static func overlapText(of prefix: String, with other: String) -> String {
    """
    etcd has the log of another store below \(other), and no prefix may be the beginning of another one, as that of \
    \(other.utf8.count < prefix.utf8.count ? other : prefix) is: give this store another 'prefix' than \(prefix) in \
    [cluster] on all machines
    """
  }

  /// Finds the stores whose prefixes have the same parent as this one's, in order; `isIncomplete` if other programs have
  /// too many keys there.
  ///
  /// - Parameter then: Called once on a later turn of the loop; with nil if the store did not answer.
  package func readNeighbours(then: @escaping ((stores: [String], isIncomplete: Bool)?) -> Void) {
    scan(StoreScan(beside: settings.prefix), then)
  }

  private func scan(_ scan: StoreScan, _ then: @escaping ((stores: [String], isIncomplete: Bool)?) -> Void) {
    guard let range = scan.range else {
      let found = scan.prefixes.filter { !isOwnFolder($0) }
      return findStores(among: found[...], []) { then($0.map { ($0, scan.isIncomplete) }) }
    }
    readFirstKey(of: range) { [weak self] keys in
      guard let self, let keys else { return then(nil) }
      var next = scan
      next.note(keys.first)
      self.scan(next, then)
    }
  }

  private func isOwnFolder(_ prefix: String) -> Bool {
    LogKey.folders.contains { settings.prefix + $0 + "/" == prefix }
  }

  /// Keeps the prefixes below which there is a log.
  private func findStores(
    among prefixes: ArraySlice<String>, _ found: [String], _ then: @escaping ([String]?) -> Void
  ) {
    guard let prefix = prefixes.first else { return then(found) }
    readFirstKey(of: EtcdKeyRange(LogRequests(prefix: prefix).bytes(.history))) { [weak self] keys in
      guard let self, let keys else { return then(nil) }
      findStores(among: prefixes.dropFirst(), keys.isEmpty ? found : found + [prefix], then)
    }
  }

  private func readParts(
    _ position: UInt64, _ process: UInt64, _ count: Int, _ parts: [[UInt8]],
    _ then: @escaping (UInt64, LogReading) -> Void
  ) {
    let request = requests.partsRequest(position: position, process: process, from: parts.count, count: count)
    client.call(request, timeout: settings.timeout + Self.readTime) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let response):
        note(response.header)
        let parts = parts + response.values.map(\.value)
        // Fewer than asked for: the rest is absent.
        if parts.count < count, response.values.count == LogRequests.partCount {
          readParts(position, process, count, parts, then)
        } else {
          then(store, .parts(parts))
        }
      case .failure(let error): fail(error, then)
      }
    }
  }

  private func fail(_ error: EtcdError, _ then: @escaping (UInt64, LogReading) -> Void) {
    if case .deadline = error.reason { readPatience.noteMissing() }
    onFailure?(error)
    report { [store] in then(store, .failed) }
  }

  // MARK: The watch

  /// Watches the entries from a position, the beat, and what operators ask; it replaces an earlier watch.
  ///
  /// - Parameters:
  ///   - position: The first position.
  ///   - onValues: Called with the values and the id of the store, in the order in which they were put. Some may be
  ///     missing: the core reads when it is silent.
  ///   - onGap: Called when some are known to be missing, because etcd has compacted them or is another store.
  package func watch(
    from position: UInt64, onValues: @escaping ([StoredValue], UInt64) -> Void, onGap: @escaping () -> Void
  ) {
    watch.take()?.cancel()
    watch = EtcdWatch(
      requests.watchedKeys, of: client,
      onEvents: { [weak self] values, header in
        guard let self else { return }
        let values = values.compactMap(requests.value).filter {
          switch $0.key {
          case .entry(let entry): entry >= position
          case .beat, .inquiry: true
          case .history, .leader, .part, .node, .reply: false
          }
        }
        if !values.isEmpty { onValues(values, header.cluster) }
      },
      onGap: { _ in onGap() })
  }
}
