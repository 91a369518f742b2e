import ClusterLog

/// The relays that may follow a node, and those that do.
struct Relays {
  /// Those to which a link is open.
  var linked: Set<NodeName> = []
  /// Those that follow.
  var followers: [NodeName: Follower] = [:]
  var recent: RecentEntries
  /// A read of the store for a relay that is further behind than `recent`, and the entry whose parts are being read.
  var reading: (number: UInt64, relay: NodeName, incomplete: EncodedEntry?)?
  /// The time of the next beat.
  var beatAt: Duration
  /// The way to the leader that the last beat has told.
  var toldWay: UInt64 = 0

  /// A relay that follows.
  struct Follower {
    /// The last entry that was sent to it.
    var sent: UInt64
    /// The entries that were sent and are not in its journal, with their bytes.
    var underway: [(position: UInt64, byteCount: Int)] = []
    var byteCount = 0

    mutating func noteSent(_ position: UInt64, byteCount count: Int) {
      sent = position
      underway.append((position, count))
      byteCount += count
    }

    mutating func noteStored(_ position: UInt64) {
      let count = underway.prefix { $0.position <= position }.count
      byteCount -= underway.prefix(count).reduce(0) { $0 + $1.byteCount }
      underway.removeFirst(count)
    }
  }
}

/// Sending the log to relays: hubs that follow this one over the link, in place of the store.
///
/// An entry is sent when this node has it, so that it is in the log. Relays check the chain of checksums as if it came from
/// the store. What is sent ahead of a relay's journal is bounded.
extension ClusterCore {
  /// True if relays can get the log from this node: its state is that of the log.
  private var servesRelays: Bool {
    switch role {
    case .proving, .refused: false
    case .follower(let follower), .claiming(_, let follower): follower.provenRevision == nil && history != nil
    case .leader: true
    }
  }

  /// The time at which what this node has was the whole log, as far as it knows.
  private var wholeAt: Duration? {
    switch role {
    case .proving, .refused: nil
    case .follower(let follower), .claiming(_, let follower): follower.currentAt
    case .leader(let leader): leader.confirmedAt
    }
  }

  /// The way of actions to the leader for relays; 0 if there is none.
  private var wayOfRelays: UInt64 {
    switch route {
    case .none: 0
    case .here: wayNumber
    case .link(let node): takesRelays.contains(node) ? wayNumber : 0
    }
  }

  /// Tells relays that this node does not serve them any more, or that its way to the leader is another one.
  mutating func updateRelays() {
    guard !relays.linked.isEmpty else { return }
    if !servesRelays { stopServingRelays() }
    if wayOfRelays != relays.toldWay { sendRelayBeats() }
  }

  mutating func stopServingRelays() {
    for node in relays.followers.keys.sorted() { emit(.send(.followed(.refused(.notReady)), to: node)) }
    (relays.followers, relays.reading) = ([:], nil)
  }

  /// Tells all relays what this node has. It is also called when there is news of that, so that a relay on any level
  /// knows soon how old its state is.
  mutating func sendRelayBeats() {
    relays.beatAt = now + options.beatInterval
    guard !relays.linked.isEmpty, servesRelays, let wholeAt else { return }
    relays.toldWay = wayOfRelays
    let age = UInt64(max(0, (now - wholeAt) / .milliseconds(1))) + 1
    let beat = RelayBeat(
      position: point.position, age: min(age, RelayBeat.ageLimit), way: relays.toldWay, path: path)
    for node in relays.linked.sorted() { emit(.send(.relayBeat(beat), to: node)) }
  }

  /// Does what is due for relays.
  mutating func tendRelays() {
    guard !relays.linked.isEmpty, now >= relays.beatAt else { return }
    sendRelayBeats()
    // A read may have failed.
    for node in relays.followers.keys.sorted() { serve(node) }
  }

  // MARK: Relays that follow

  /// A relay asks to follow from its place on, or no more.
  mutating func handle(_ request: FollowRequest?, from node: NodeName) {
    guard relays.linked.contains(node) else { return }
    relays.followers[node] = nil
    if relays.reading?.relay == node { relays.reading = nil }
    guard let request else { return }
    if let refusal = refusal(of: request, from: node) { return emit(.send(.followed(.refused(refusal)), to: node)) }
    guard let history else { return }
    emit(.send(.followed(.accepted(history)), to: node))
    relays.followers[node] = Relays.Follower(sent: request.position)
    sendRelayBeats()
    serve(node)
  }

  private func refusal(of request: FollowRequest, from node: NodeName) -> FollowRefusal? {
    guard servesRelays, let history else { return .notReady }
    guard !path.contains(node), path.count < RelayBeat.pathLimit else { return .loop }
    let isSameName = request.history == nil || request.history == history
    let isElsewhere = isSameName ? FollowRefusal.diverged : .otherHistory(history)
    guard request.position <= point.position else { return isSameName ? .ahead : isElsewhere }
    guard let checksum = checksum(at: request.position) else {
      // The relay sees by itself whether the entries continue its own.
      guard isSameName else { return isElsewhere }
      return isRelay ? .lacks(history) : nil
    }
    guard checksum == request.checksum else { return isElsewhere }
    let hasNext = request.position == point.position || relays.recent[request.position + 1] != nil
    return hasNext || !isRelay ? nil : .lacks(history)
  }

  /// The checksum of an entry, if the node has it.
  private func checksum(at position: UInt64) -> UInt64? {
    if position == point.position { return point.checksum }
    if position == 0 { return 0 }
    return relays.recent[position]?.entry.checksum ?? relays.recent[position + 1]?.entry.entry.previous
  }

  /// A relay's journal has an entry.
  mutating func relayStored(_ node: NodeName, upTo position: UInt64) {
    guard relays.followers[node] != nil else { return }
    relays.followers[node]?.noteStored(position)
    serve(node)
  }

  /// Keeps an entry for relays, and sends it to those that follow.
  mutating func serveRelays(_ entry: EncodedEntry, parts: [[UInt8]]) {
    guard !options.relays.isEmpty else { return }
    relays.recent.append(entry, parts: parts)
    for node in relays.followers.keys.sorted() { serve(node) }
  }

  /// Sends a relay the next entries, as many as may be under way.
  private mutating func serve(_ node: NodeName) {
    while let follower = relays.followers[node], follower.sent < point.position,
      follower.byteCount < options.relayBytes
    {
      guard let next = relays.recent[follower.sent + 1] else { return readForRelay(node, from: follower.sent + 1) }
      send(next.entry, next.parts, toRelay: node)
    }
  }

  private mutating func send(_ entry: EncodedEntry, _ parts: [[UInt8]], toRelay node: NodeName) {
    relays.followers[node]?.noteSent(entry.entry.position, byteCount: RecentEntries.size(entry, parts))
    emit(.send(.entry(entry, parts: parts), to: node))
  }

  // MARK: Older entries

  private mutating func readForRelay(_ node: NodeName, from position: UInt64) {
    guard !isRelay else { return lackForRelay(node) }
    guard relays.reading == nil else { return }
    readForRelay(node, .entries(from: position), nil)
  }

  private mutating func readForRelay(_ node: NodeName, _ read: LogRead, _ incomplete: EncodedEntry?) {
    lastNumber += 1
    relays.reading = (lastNumber, node, incomplete)
    emit(.read(lastNumber, read))
  }

  /// A relay needs entries that this node does not have any more.
  private mutating func lackForRelay(_ node: NodeName) {
    guard let history, relays.followers.removeValue(forKey: node) != nil else { return }
    emit(.send(.followed(.refused(.lacks(history))), to: node))
  }

  /// Handles the result of a read for a relay; false if it is another one.
  mutating func readForRelayEnded(_ number: UInt64, in store: UInt64, _ result: LogReading) -> Bool {
    guard let reading = relays.reading, reading.number == number else { return false }
    relays.reading = nil
    // The next beat reads again what has failed. A proof decides about another store.
    guard servesRelays, history?.store == store, let next = relays.followers[reading.relay].map({ $0.sent + 1 })
    else { return true }
    switch result {
    case .entries(let values, let first, _, _):
      if let first, first > next { lackForRelay(reading.relay) } else { pass(values, to: reading.relay) }
    case .parts(let parts):
      guard let entry = reading.incomplete, entry.entry.position == next,
        case .parts(_, let described) = entry.entry.content, described.turn(from: parts) != nil
      else { break }
      send(entry, parts, toRelay: reading.relay)
      serve(reading.relay)
    case .registration, .failed: return true
    }
    for node in relays.followers.keys.sorted() where relays.reading == nil { serve(node) }
    return true
  }

  private mutating func pass(_ values: [StoredValue], to node: NodeName) {
    for value in values {
      guard let sent = relays.followers[node]?.sent, case .entry(let position) = value.key, position == sent + 1,
        position <= point.position, let entry = try? EncodedEntry(decoding: value.bytes)
      else { continue }
      if case .parts(_, let turn) = entry.entry.content {
        return readForRelay(
          node, .parts(position: position, process: entry.entry.leader.process, count: turn.count), entry)
      }
      send(entry, [], toRelay: node)
    }
  }
}
