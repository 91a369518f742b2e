internal import ClusterLog
internal import Configuration
internal import EtcdClient
internal import EtcdLogStore
internal import EventLoop
internal import JSONText
internal import Journal
internal import NetworkStream
internal import ProgramOptions
internal import TurnLog
internal import Wire

extension Tool {
  // MARK: Copies

  /// Runs `cluster copy --into DIR`.
  func copyNode() async throws(ToolFailure) {
    guard let target = options.string("into") else {
      throw ToolFailure(.usage, "cluster copy needs --into, the directory of the copy")
    }
    let source = try await stateDirectory()
    _ = try place(of: try await ending(of: source), in: source)
    try await onAnotherThread { () throws(LogError) in try JournalReader(source).copy(to: target) }
    effect = "the copy was made"
    let copied = try await ending(of: target)
    let place = try place(of: copied, in: target)
    if isJSON { return print(Self.json(place.position, copied, [JSONValue.Member("directory", .string(target))])) }
    print(["\(target) ends at entry \(place.position) of the log, revision \(copied.revision)"])
  }

  // MARK: Beginning

  /// Runs `cluster init --from-journal`.
  func beginLog() async throws(ToolFailure) {
    guard options.flag("from-journal") else {
      throw ToolFailure(
        .usage, "cluster init needs --from-journal: without a journal, the first node that starts begins the log")
    }
    progress = "nothing was changed"
    let directory = try chosenStateDirectory()
    let settings = try clusterSettings()
    let ending = try await ending(of: directory)
    guard let schema = ending.schema, ending.turn > 0 || ending.revision > 0 else {
      throw ToolFailure(
        .absent, "the journal in \(directory) is empty: move it away, and the first node that starts begins the log")
    }
    let earlier = try ending.place.map { (bytes) throws(ToolFailure) in try decoded(bytes, in: directory) }
    guard earlier?.turn != ending.turn else {
      throw ToolFailure(
        .failed,
        "the journal in \(directory) is that of a cluster already: `storectl cluster restore` continues its log")
    }
    let first = EncodedEntry(
      continuing: earlier, checksum: ending.checksum, schema: schema, node: settings.node)
    let log = try operatedLog(settings)
    defer { log.close() }
    let found = try await operate { () throws(OperatedLogError) in try await log.inspect(at: first.entry.position) }
    guard found.history == nil, found.positions == nil, found.damagedKeys.isEmpty else {
      throw ToolFailure(
        .failed,
        """
        etcd has a log below \(settings.prefix) already: give this cluster another 'prefix' in [cluster] on all machines
        """)
    }
    if let other = try await operate({ () throws(OperatedLogError) in try await log.overlaps() }).first {
      throw ToolFailure(.failed, EtcdLogStore.overlapText(of: settings.prefix, with: other))
    }
    let history = LogHistory(id: .random(in: 0 ... .max), store: found.store)
    let place = JournalPlace(history: history, last: first, turn: ending.turn)
    try checkInterruption()
    // The journal first: `restore` completes what ends here, and etcd has no log that no journal belongs to.
    try await onAnotherThread { () throws(LogError) in
      try JournalTool.setPlace(directory, to: place.encoded(), after: ending.turn)
    }
    effect = "the journal was made one of a cluster"
    progress = """
      the journal in \(directory) is one of a cluster now, but etcd may not have its log: `storectl cluster restore` says \
      so, and completes it
      """
    do throws(ToolFailure) {
      try await operate { () throws(OperatedLogError) in
        try await log.change(found.beginning(with: first, in: history), to: history)
      }
    } catch {
      throw ToolFailure(
        error.status,
        """
        \(error.reason). The journal in \(directory) is one of a cluster now: `storectl cluster restore` completes the log, if \
        nobody has begun another one; give this cluster another 'prefix' then, and restore
        """)
    }
    if isJSON { return print(Self.json(place.position, ending)) }
    print([
      "the log begins at entry \(place.position), with revision \(ending.revision) of the journal",
      """
      start this hub as node \(settings.node), and then the others, which get a snapshot; or give them the whole history \
      by `storectl cluster copy --into DIR`
      """,
    ])
  }

  // MARK: Restoring

  /// Runs `cluster restore [--yes]`.
  func restoreLog() async throws(ToolFailure) {
    progress = "nothing was changed"
    let directory = try chosenStateDirectory()
    let settings = try clusterSettings()
    let ending = try await ending(of: directory)
    let place = try place(of: ending, in: directory)
    let log = try operatedLog(settings)
    defer { log.close() }
    let found = try await operate { () throws(OperatedLogError) in try await log.inspect(at: place.position) }
    // Whatever the log has after the journal's end: a hub could not go on if that cannot be read.
    let tail =
      found.isContinued(by: place)
      ? try await operate { () throws(OperatedLogError) in try await log.tail(after: place, in: found) }
      : LogTail(after: place, upTo: place.position)
    var history = LogHistory(id: .random(in: 0 ... .max), store: found.store)
    let transaction: LogTransaction
    let end: UInt64
    var plan = [
      "journal     entry \(place.position), revision \(ending.revision), of \(Moment.text(ending.time))",
      "etcd        \(found.positions.map { "entries \($0.lowerBound) to \($0.upperBound)" } ?? "no entries")",
    ]
    for key in found.damagedKeys {
      plan.append("damaged     the key '\(key)', which has bytes that no hub has written")
    }
    let restoration = found.restoration(with: place, tail: tail)
    switch restoration {
    case .needless:
      throw ToolFailure(
        .unchanged, "the journal belongs to the log in etcd: there is nothing to restore; start the hub")
    case .endsLater(let last):
      throw ToolFailure(
        .diverged,
        """
        the log in etcd ends later than this journal, at entry \(last), and has not entry \(place.position): restore from \
        the node whose journal ends last, and give this one a copy of it, by `storectl cluster copy`
        """)
    case .otherLog:
      throw ToolFailure(
        .diverged,
        """
        the log in etcd is not the one that this journal has left: it was begun again with another journal, or the 'prefix' \
        in [cluster] is that of another cluster. If another node serves that log, give this one a copy of its journal, by \
        `storectl cluster copy`. If none does, as after the restore of an old backup of etcd, and \
        \(settings.prefix) is the 'prefix' of this cluster only: with all hubs stopped, remove all keys below it, by \
        etcdctl, and restore on the machine whose journal ends last
        """)
    case .nameless:
      throw ToolFailure(
        .diverged,
        """
        the name of the log in etcd, the key 'history', has bytes that no hub has written, and the log does not have \
        entry \(place.position), with which this journal ends, so that it may be another one. Restore on a machine whose \
        journal ends with an entry of the log. If there is none, and \(settings.prefix) is the 'prefix' of this cluster only, \
        remove all keys below it, by etcdctl, and restore on the machine whose journal ends last
        """)
    case .ledSince(let leader):
      throw ToolFailure(
        .diverged,
        """
        etcd has lost entries that this journal has, and \(leader.node) has led in term \(leader.term) since: what it has \
        acknowledged would be lost. Keep this journal, and give this node a copy of that of \(leader.node), by \
        `storectl cluster copy`
        """)
    case .mended(let last):
      (transaction, end, history) = (found.mending(tail), last, found.history ?? history)
      plan.append(
        "afterwards  the log goes on as it is in etcd, and the key 'leader' has the leadership of its last entry, \(last)"
      )
    case .renamed(let last):
      (transaction, end) = (found.renaming(to: history, tail), last)
      plan.append("afterwards  the log goes on as it is in etcd, from entry \(last) on")
    case .cutOff(let damage, let last):
      let nodes = try await operate { () async throws(OperatedLogError) in
        try await log.nodes(thatHave: damage.position)
      }
      guard nodes.isEmpty else {
        throw ToolFailure(
          .diverged,
          """
          entry \(damage.position) of the log cannot be read, but the journal of \
          \(nodes.map(\.text).joined(separator: ", ")) has it: restore on that machine. If that journal is lost, take its \
          node out of the log first, by `storectl cluster remove`
          """)
      }
      (transaction, end) = (found.cutting(tail, to: history), last)
      let removed =
        damage.position == tail.end ? "entry \(tail.end)" : "the entries from \(damage.position) to \(tail.end)"
      plan += [
        "damaged     entry \(damage.position) of the log: \(ValueText.safe(damage.reason))",
        """
        afterwards  the log goes on as it is in etcd, up to entry \(last); \(removed) \
        \(damage.position == tail.end ? "is" : "are") removed from it
        """,
      ]
    case .begunAgain:
      (transaction, end) = (found.beginning(with: place.last, in: history), place.position)
      plan.append("afterwards  the log begins with entry \(end), which ends this journal")
    }
    if case .mended = restoration {
      plan.append("lost        nothing")
    } else {
      plan.append(
        "lost        what other journals have after entry \(end), and all that no journal has: compare those of all nodes"
      )
    }
    guard options.flag("yes") else {
      if isJSON { print(Self.json(end, ending, [JSONValue.Member("restored", .bool(false))])) } else { print(plan) }
      throw ToolFailure(.failed, "nothing was changed; --yes does it")
    }
    note("waiting \(settings.takeoverAfter) to see whether a hub leads")
    try await operate { () async throws(OperatedLogError) in
      // A leader without anything to append shows itself by its beats.
      guard try await log.isQuiet(found, at: place.position, for: settings.takeoverAfter) else { throw .changed }
      // From here on, an interruption leaves open whether etcd does it.
      progress =
        "etcd may have restored the log, or may still do so: the same command without --yes says what is left to do"
      try await log.change(transaction, to: history)
    }
    effect = "the log was restored"
    plan.append("done        the log was restored: start the hubs of all machines")
    if isJSON { print(Self.json(end, ending, [JSONValue.Member("restored", .bool(true))])) } else { print(plan) }
  }

  // MARK: Parts

  /// The log of a cluster in etcd. The caller closes it.
  ///
  /// - Parameter prefix: The beginning of its keys; nil for that of the settings.
  func operatedLog(_ settings: ClusterSettings, below prefix: String? = nil) throws(ToolFailure) -> OperatedLog {
    guard !settings.isRelay else {
      throw ToolFailure(.failed, "node \(settings.node) is a relay, which has no etcd: run this on a member's machine")
    }
    let tls = settings.tls.map { TLSFiles(authority: $0.authority, certificate: $0.certificate, key: $0.key) }
    do throws(EtcdClientError) {
      let log = try OperatedLog(
        on: loop, EtcdSettings(endpoints: settings.endpoints, tls: tls),
        EtcdLogStore.Settings(prefix: prefix ?? settings.prefix), timeout: timeout)
      log.isInterrupted = { [weak self] in self?.isEnding ?? true }
      return log
    } catch {
      throw ToolFailure(.failed, "\(error)")
    }
  }

  /// Does something with a log, and converts its errors to those of the tool.
  func operate<Result>(
    _ body: () async throws(OperatedLogError) -> Result
  ) async throws(ToolFailure) -> Result {
    do throws(OperatedLogError) { return try await body() } catch {
      switch error {
      case .interrupted:
        try checkInterruption()
        throw ToolFailure(.failed, "interrupted")
      case .full: throw ToolFailure(.failed, "etcd is full: see its quota and its alarms, and try again")
      case .noAnswer(let reason):
        throw ToolFailure(
          .timedOut,
          """
          etcd has not answered in time, and may still do what it was asked: repeat the command\
          \(reason.isEmpty ? "" : ": \(reason)")
          """)
      case .changed:
        throw ToolFailure(
          .failed, "the log in etcd was changed meanwhile, so that it was left as it is: stop all hubs of the cluster")
      }
    }
  }

  func clusterSettings() throws(ToolFailure) -> ClusterSettings {
    let file = options.string("config") ?? "/etc/storehub/hub.conf"
    do throws(ConfigurationError) {
      if let settings = try OperatorConfiguration.cluster(in: file) { return settings }
    } catch {
      let advice = options.string("config") == nil ? "; --config names another configuration of the hub" : ""
      throw ToolFailure(.failed, "\(error)\(advice)")
    }
    throw ToolFailure(
      .absent, "\(file) has no section [cluster]: write it, or name the hub's configuration with --config")
  }

  func ending(of directory: String) async throws(ToolFailure) -> JournalEnding {
    try await onAnotherThread { () throws(LogError) in try JournalReader(directory).ending() }
  }

  func place(of ending: JournalEnding, in directory: String) throws(ToolFailure) -> JournalPlace {
    guard let bytes = ending.place else {
      throw ToolFailure(
        .absent,
        "the journal in \(directory) is of a hub without a cluster; `storectl cluster init --from-journal` begins one")
    }
    let place = try decoded(bytes, in: directory)
    guard place.turn == ending.turn else {
      throw ToolFailure(
        .diverged,
        """
        the journal in \(directory) ends with turn \(ending.turn), but it left the cluster's log at turn \(place.turn): a \
        hub without [cluster] has used it. If the cluster is lost, `storectl cluster init --from-journal` begins a new one
        """)
    }
    return place
  }

  private func decoded(_ bytes: [UInt8], in directory: String) throws(ToolFailure) -> JournalPlace {
    guard let place = try? JournalPlace(decoding: bytes.span.bytes) else {
      throw ToolFailure(.damaged, "the journal in \(directory) does not say where in the cluster's log it ends")
    }
    return place
  }

  private static func json(
    _ entry: UInt64, _ ending: JournalEnding, _ others: [JSONValue.Member] = []
  ) -> JSONValue {
    .object(
      [
        JSONValue.Member("entry", .integer(entry)), JSONValue.Member("turn", .integer(ending.turn)),
        JSONValue.Member("revision", .integer(ending.revision)),
      ] + others)
  }
}
