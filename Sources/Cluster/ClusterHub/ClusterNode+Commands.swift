import ClusterCore
import ClusterLog
import Configuration
import EtcdLogStore
import Journal
import StoreHub
import TurnLog
import Wire

/// The commands of the core.
extension ClusterNode {
  func execute(_ command: ClusterCommand) {
    switch command {
    case .transact(let number, let transaction, let expected):
      store?.transact(transaction, in: expected) { [weak self] in
        guard let self else { return }
        update()
        core.transactionEnded(number, in: $0, $1)
        drive()
      }
    case .compact(let revision, let expected): store?.compact(before: revision, in: expected)
    case .read(let number, let read):
      store?.read(read) { [weak self] in
        self?.core.readEnded(number, in: $0, $1)
        self?.drive()
      }
    case .watch(let position):
      store?.watch(from: position) { [weak self] values, store in
        guard let self else { return }
        update()
        core.watched(values, in: store)
        drive()
        for value in values where value.key == .inquiry { answer(value, in: store) }
      } onGap: { [weak self] in
        guard let self else { return }
        update()
        core.watchMissedEvents()
        drive()
      }
    case .record(let entry, let parts): record(entry, parts)
    case .apply:
      noteProcessed(recorded)
      deliver(.apply(recorded))
    case .stored(let count, _):
      let turns = Array(unstored.prefix(count))
      unstored.removeFirst(count)
      noteProcessed(turns)
      deliver(.stored(turns))
    case .discardUnstored:
      unstored = []
      deliver(.follow)
    case .perform(let session, let first, let actions): perform(session, first, actions)
    case .lead(let term):
      takeovers += 1
      // What they are for has ended with the previous leader.
      cancellations = []
      deliver(.lead(term: term))
    case .startEffects(let term): deliver(.startEffects(term: term))
    case .cancelEffects: deliver(.cancelEffects)
    case .send(let message, let node): send(message, to: node)
    case .sendSnapshot(_, let node): give(to: node)
    case .install(let place): install(place)
    case .discardSnapshot(let place): discard(place)
    case .adopt(_, let endsSessions):
      // A hub that does not serve yet tells its clients the new name when it does.
      guard endsSessions, isReady else { return }
      deliver(.refused(reason: "the log of the cluster was continued from an earlier state: this hub starts again"))
    case .report(let refusal):
      guard etcdFailures.note("\(refusal)", of: "the log", at: Self.now) else { return }
      let effect = core.isRelay ? "this relay cannot go on" : "no node can lead"
      report(.error, .clusterWaits, "\(effect): \(refusal)")
    case .standingChanged(let standing): note(standing)
    }
  }

  private func send(_ message: ClusterMessage, to node: NodeName) {
    switch message {
    case .needsSnapshot(let position): askForSnapshot(after: position, node)
    case .actions(_, let session, _, _):
      links?.send(message, to: node, group: groups[session] ?? .max, name: name(of: session))
    case .beat, .status, .follow, .followed, .entry, .relayBeat: links?.send(message, to: node)
    }
  }

  private func perform(_ session: ClusterSession, _ first: UInt64, _ actions: [[UInt8]]) {
    let node = session.node == settings.node ? "" : session.node.text
    let forwarded = ForwardedSession(
      id: session.id, user: session.user, group: groups[session] ?? .max, node: node, name: name(of: session))
    deliver(.perform(forwarded, first: first, actions))
  }

  // MARK: The journal

  /// Stores the turns of an entry in the journal, with the place after it.
  private func record(_ entry: EncodedEntry, _ parts: [[UInt8]]) {
    do throws(WireError) {
      recorded = try turns(of: entry, parts)
    } catch {
      recorded = []
      let reason = "entry \(entry.entry.position) of the cluster's log has no turns: \(error)"
      return deliver(
        .refused(reason: "\(reason). See by `storectl cluster verify` whether this journal and the log are whole"))
    }
    recordedTurn += UInt64(recorded.count)
    guard let history = core.history else { preconditionFailure("an entry without a history") }
    let place = JournalPlace(history: history, last: entry, turn: recordedTurn)
    if !recorded.isEmpty { begin(entry.entry.schema) }
    journal.append(recorded, place: place.encoded())
    recording.append((entry.entry.position, recordedTurn))
    // The first turn of a new schema has the whole state.
    if core.options.standsBy, entry.entry.schema == core.options.ownSchema, !recorded.isEmpty { finishAgain(.reopens) }
  }

  /// Tells the journal the schema of the turns that follow.
  private func begin(_ schema: SchemaFingerprint) {
    guard schema != recordedSchema else { return }
    recordedSchema = schema
    if let known = request.schemas.first(where: { $0.fingerprint == schema }) { journal.begin(schema: known) }
  }

  private func turns(of entry: EncodedEntry, _ parts: [[UInt8]]) throws(WireError) -> [LoggedTurn] {
    let encoded: [[UInt8]]
    switch entry.entry.content {
    case .opening, .handover: return []
    case .turns(_, let turns): encoded = turns
    case .parts: encoded = [LargeTurn.joined(parts)]
    }
    // Those of this leader.
    if unstored.count >= encoded.count, entry.entry.leader.process == core.options.process {
      return Array(unstored.prefix(encoded.count))
    }
    var turns: [LoggedTurn] = []
    for bytes in encoded { turns.append(try LoggedTurn(decoding: bytes.span.bytes)) }
    return turns
  }

  /// Releases what is kept of actions that the log has.
  private func noteProcessed(_ turns: [LoggedTurn]) {
    for turn in turns {
      for session in turn.sessions {
        core.processed(
          ClusterSession(node: request.settings.node, user: session.user, id: session.id), upTo: session.processed)
      }
    }
  }
}
