package import ClusterLog

/// The nodes that a relay may follow, and the one that it follows.
struct Upstreams {
  /// Those to which a link is open.
  var linked: [NodeName: State] = [:]
  /// The node that was asked to be followed.
  var current: NodeName?
  /// True when that node has accepted it.
  var isAccepted = false
  var askedAt = Duration.zero
  /// The time at which the last entry or the acceptance has arrived.
  var progressAt = Duration.zero
  /// The way to the leader that the node has told last.
  var way: UInt64 = 0
  /// A position that was the whole log at a time, which this node has not reached yet.
  var unreached: (position: UInt64, wholeAt: Duration)?
  var tendAt = Duration.zero

  /// What is known of a linked node.
  struct State {
    /// Its last beat. A node without one does not serve.
    var beat: RelayBeat?
    /// The time at which its state was the whole log.
    var wholeAt = Duration.zero
    /// The time since which it is current.
    var currentSince: Duration?
    var refusal: FollowRefusal?
    /// The requests to it without an answer. Only the answer to the last one counts: those before it had another place.
    var unanswered = 0
    /// It is not asked before.
    var retryAt = Duration.zero
  }

  mutating func leave() {
    (current, isAccepted, way, unreached) = (nil, false, 0, nil)
  }
}

/// Following another hub over the link, in place of the store. A relay never claims and never leads.
///
/// It has links to all nodes that it may follow, and gets the log from one of them. Each tells by beats how old its state
/// is, so that a relay goes to another one when that is the better one. The log is the same everywhere, so the relay asks
/// the next node for what comes after its own last entry.
extension ClusterCore {
  /// True if this node follows others over links, and has no store.
  package var isRelay: Bool { !options.upstreams.isEmpty }

  /// The node that a relay follows; nil while there is none.
  package var upstream: NodeName? { upstreams.isAccepted ? upstreams.current : nil }

  /// The node that a relay has asked to be followed, or follows.
  package var askedUpstream: NodeName? { upstreams.current }

  /// The relays above this node, and itself if it is one.
  package var path: [NodeName] {
    guard isRelay else { return [] }
    return (upstreams.current.flatMap { upstreams.linked[$0]?.beat?.path } ?? []) + [options.node]
  }

  /// A relay starts with its journal, or with a snapshot.
  mutating func proveToUpstream() {
    leaveUpstream()
    chooseUpstream()
  }

  // MARK: The choice

  /// Looks for a node to follow, or for a better one.
  mutating func tendUpstream() {
    guard isRelay else { return }
    upstreams.tendAt = now + options.beatInterval
    switch role {
    case .refused, .proving(isBehind: true): return
    case .proving, .follower, .claiming, .leader: break
    }
    guard let current = upstreams.current, let state = upstreams.linked[current] else { return chooseUpstream() }
    let isSilent = !upstreams.isAccepted && now - upstreams.askedAt >= options.takeoverAfter
    let isStuck =
      upstreams.isAccepted && state.beat?.position ?? 0 > point.position
      && now - upstreams.progressAt >= options.takeoverAfter * 10
    if isSilent || isStuck || isLoop(state) {
      postpone(current, by: options.takeoverAfter)
      return chooseUpstream()
    }
    let others = usableUpstreams.filter { $0 != current }
    if !isCurrent(state) {
      // Nodes are a little apart in what they know. All of them wait while the log cannot be appended to.
      let better = others.first { now - (upstreams.linked[$0]?.wholeAt ?? .zero) < options.takeoverAfter / 2 }
      if let better { return ask(better) }
    } else if upstreams.isAccepted, let preferred = others.first, isBefore(preferred, current),
      let known = upstreams.linked[preferred], isCurrent(known),
      let since = known.currentSince, now - since >= options.returnTime
    {
      // One that has fallen silent is as current as its last beat says.
      ask(preferred)
    }
  }

  private func isBefore(_ first: NodeName, _ second: NodeName) -> Bool {
    options.upstreams.firstIndex(of: first) ?? .max < options.upstreams.firstIndex(of: second) ?? .max
  }

  private func isCurrent(_ state: Upstreams.State) -> Bool { now - state.wholeAt < options.takeoverAfter }

  private func isLoop(_ state: Upstreams.State) -> Bool {
    guard let path = state.beat?.path else { return false }
    return path.contains(options.node) || path.count >= RelayBeat.pathLimit
  }

  /// The linked nodes that can be followed, in the order of preference.
  private var usableUpstreams: [NodeName] {
    options.upstreams.filter { node in
      guard let state = upstreams.linked[node], state.beat != nil else { return false }
      return now >= state.retryAt && !isLoop(state)
    }
  }

  private mutating func chooseUpstream() {
    let nodes = usableUpstreams
    let current = nodes.first { node in upstreams.linked[node].map { isCurrent($0) } ?? false }
    if let node = current ?? nodes.first { ask(node) } else { leaveUpstream() }
  }

  private mutating func postpone(_ node: NodeName, by time: Duration) { upstreams.linked[node]?.retryAt = now + time }

  /// Stops following.
  mutating func leaveUpstream() {
    if let node = upstreams.current, upstreams.linked[node] != nil { emit(.send(.follow(nil), to: node)) }
    upstreams.leave()
    route = .none
  }

  private mutating func ask(_ node: NodeName) {
    if upstreams.current != node { leaveUpstream() }
    upstreams.leave()
    route = .none
    upstreams.current = node
    (upstreams.askedAt, upstreams.progressAt) = (now, now)
    upstreams.linked[node]?.unanswered += 1
    let place = candidate?.point ?? point
    emit(
      .send(
        .follow(
          FollowRequest(
            history: candidate?.history ?? history, position: place.position, checksum: place.checksum)),
        to: node))
  }

  /// The times at which a relay has something to do.
  var relayTimes: [Duration] {
    var times: [Duration] = []
    switch role {
    case .proving(isBehind: false): times.append(upstreams.tendAt)
    case .follower(let follower):
      times.append(upstreams.tendAt)
      if now - follower.currentAt < options.takeoverAfter { times.append(follower.currentAt + options.takeoverAfter) }
    case .proving, .refused, .claiming, .leader: break
    }
    return times
  }

  // MARK: Answers

  mutating func handle(_ answer: FollowAnswer, from node: NodeName) {
    guard isRelay, var state = upstreams.linked[node] else { return }
    // One that ends what was accepted is the answer to no request.
    state.unanswered = max(0, state.unanswered - 1)
    upstreams.linked[node] = state
    guard state.unanswered == 0, node == upstreams.current else { return }
    switch answer {
    case .accepted(let found):
      guard !upstreams.isAccepted else { return }
      accepted(by: node, found)
    case .refused(let refusal): refused(by: node, refusal)
    }
  }

  private mutating func accepted(by node: NodeName, _ found: LogHistory) {
    (upstreams.isAccepted, upstreams.progressAt) = (true, now)
    upstreams.linked[node]?.refusal = nil
    if let snapshot = candidate.take() {
      (point, last, passedSnapshots) = (snapshot.point, snapshot.last, 0)
      emit(.install(snapshot))
    }
    adopt(found)
    discardSnapshots()
    // Another node may have had more when this one was current last: it serves when it has what the log has now.
    if case .proving = role {
      follow(provenAt: .max)
      if case .follower(var follower) = role {
        follower.currentAt = upstreams.linked[node]?.wholeAt ?? .zero
        role = .follower(follower)
      }
    }
    if let beat = upstreams.linked[node]?.beat { noteBeat(beat, of: node) }
  }

  private mutating func refused(by node: NodeName, _ refusal: FollowRefusal) {
    upstreams.linked[node]?.refusal = refusal
    postpone(node, by: options.retryInterval)
    upstreams.leave()
    route = .none
    switch refusal {
    case .notReady, .ahead, .loop: break
    case .lacks, .diverged, .otherHistory:
      postpone(node, by: .seconds(1))
      if candidate != nil {
        // What is wrong with a snapshot is not wrong with the journal.
        noteUselessSnapshot()
        discardCandidate()
        return prove()
      }
      if hasOtherUpstream(than: refusal) { break }
      switch refusal {
      case .lacks(let found): lackEntriesOfUpstream(found)
      case .diverged: refuse(.diverged("node \(node) has another entry \(point.position)"))
      case .otherHistory(let found):
        refuse(.otherLog(of: node, expected: history, found: found, position: point.position))
      case .notReady, .ahead, .loop: break
      }
      return
    }
    chooseUpstream()
  }

  /// The node has sent what does not continue the log. It is asked again later, because what it has sent proves nothing.
  private mutating func give(up node: NodeName, _ reason: String) {
    emit(.report(.diverged("\(reason), as node \(node) has sent it")))
    leaveUpstream()
    postpone(node, by: .seconds(1))
    chooseUpstream()
  }

  /// True if another node may be followed that has not refused for the same reason.
  private func hasOtherUpstream(than refusal: FollowRefusal) -> Bool {
    upstreams.linked.values.contains { $0.beat != nil && $0.refusal != refusal && !isLoop($0) }
  }

  private mutating func lackEntriesOfUpstream(_ found: LogHistory) {
    // The node's log has this journal's last entry, perhaps under another name since it was restored. An empty journal is
    // the beginning of any log, also if a node that lags behind told it the earlier name.
    adopt(found)
    if case .proving = role {
      role = .proving(isBehind: true)
      readAt = now
    }
    needsSnapshot = true
    if let snapshot = offered.take() { take(snapshot) }
    if needsSnapshot, candidate == nil { requestSnapshot() }
  }

  // MARK: Beats and entries

  mutating func heard(_ beat: RelayBeat, from node: NodeName) {
    guard var state = upstreams.linked[node] else { return }
    (state.beat, state.wholeAt) = (beat, now - .milliseconds(1) * Int(beat.age))
    state.currentSince = isCurrent(state) ? state.currentSince ?? now : nil
    upstreams.linked[node] = state
    if upstreams.isAccepted, upstreams.current == node { noteBeat(beat, of: node) }
    tendUpstream()
  }

  private mutating func noteBeat(_ beat: RelayBeat, of node: NodeName) {
    guard case .follower(var follower) = role, let state = upstreams.linked[node] else { return }
    announced = beat.position
    if let proven = follower.provenRevision, isCurrent(state) { follower.provenRevision = min(proven, beat.position) }
    role = .follower(follower)
    // One that is not reached yet is kept, so that a node which is always a little behind is current all the same.
    if upstreams.unreached == nil { upstreams.unreached = (beat.position, state.wholeAt) }
    noteReached()
    if beat.way != upstreams.way {
      upstreams.way = beat.way
      findRoute()
    }
    sendRelayBeats()
  }

  /// Notes that the node has applied what was the whole log at a time.
  mutating func noteReached() {
    guard case .follower(var follower) = role else { return }
    if let reached = upstreams.unreached, reached.position <= point.position {
      follower.currentAt = max(follower.currentAt, reached.wholeAt)
      upstreams.unreached = nil
    }
    follower.noteApplied(upTo: point.position)
    role = .follower(follower)
  }

  /// Takes an entry of the node that is followed. One that does not continue the log is no reason to stop: another node
  /// may have the right one.
  mutating func take(_ entry: EncodedEntry, _ parts: [[UInt8]], from node: NodeName) {
    guard node == upstreams.current, upstreams.isAccepted, case .follower = role,
      entry.entry.position == point.position + 1
    else { return }
    if let objection = point.objection(to: entry) { return give(up: node, "\(objection)") }
    switch entry.entry.content {
    case .parts(_, let described):
      guard let turn = described.turn(from: parts) else {
        return give(up: node, "entry \(entry.entry.position) has other parts")
      }
      accept(entry, turns: [turn], parts: parts)
    case .turns(_, let turns): accept(entry, turns: turns, parts: [])
    case .opening, .handover: accept(entry, turns: [], parts: [])
    }
    upstreams.progressAt = now
    noteReached()
  }
}
