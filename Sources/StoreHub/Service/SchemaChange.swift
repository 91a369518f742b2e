internal import EventLoop
internal import HubCore
internal import ServiceProcess
internal import TurnLog
internal import Wire

/// Changes the schema of a log that several hubs share.
///
/// A hub whose feature has another schema than the log stands by: it serves nobody, keeps its journal and a state in the
/// schema of the log, and can be made the leader like any other. When it leads, it appends a turn with the whole state in
/// its own schema, so that all hubs have the same: values of new fields, such as dates, may differ from one conversion to
/// the next. Then it begins again from its journal, as do the others of its version when they have that turn. Those of
/// the earlier version cannot read what follows, and end.
final class SchemaChange {
  /// The schema of the log.
  let source: Schema
  /// The schema of the feature.
  private let own: Schema
  private var recovery: Recovery
  private var log: (any ReplicatedLog)?
  private var mailbox: TurnLogMailbox?
  private var messages: Log?
  private var wakeUp: WakeUp?
  private var onEnd: ((ClusterOutcome) -> Void)?
  /// The bytes of turns since the state was folded.
  private var byteCount = 0

  /// The turns after which the state is written anew, so that a long stand-by takes a bounded amount of memory.
  private static let foldedBytes = 64 << 20

  /// - Parameters:
  ///   - source: The schema of the log.
  ///   - own: The schema of the feature.
  ///   - recovery: The state at the end of the journal, in the schema of the log.
  /// - Throws: The reason why that state cannot be converted.
  init(from source: Schema, to own: Schema, _ recovery: consuming Recovery) throws(RecoveryError) {
    (self.source, self.own) = (source, own)
    try recovery.rehearse()
    self.recovery = recovery
  }

  /// The fields in the state of the log that the feature does not have.
  var droppedFields: [String] { recovery.droppedFields }

  /// Follows the log until the schema is changed, by this hub or another one.
  ///
  /// - Parameters:
  ///   - log: The log, which has been joined.
  ///   - mailbox: The mailbox of the journal.
  ///   - loop: The loop, which runs meanwhile.
  ///   - messages: The operator's log.
  ///   - onEnd: Called with the reason if this hub cannot go on, or has to begin again.
  func standBy(
    _ log: any ReplicatedLog, _ mailbox: TurnLogMailbox, on loop: EventLoop, reporting messages: Log,
    onEnd: @escaping (ClusterOutcome) -> Void
  ) throws {
    (self.log, self.mailbox, self.messages, self.onEnd) = (log, mailbox, messages, onEnd)
    let wakeUp = try WakeUp(on: loop) { [weak self] in self?.receiveLogEvents() }
    mailbox.wake(wakeUp.sender)
    self.wakeUp = consume wakeUp
    log.onEvent = { [weak self] in self?.receive($0) }
  }

  private func end(_ outcome: ClusterOutcome) {
    let end = onEnd
    (onEnd, log, mailbox) = (nil, nil, nil)
    end?(outcome)
  }

  private func receive(_ event: ReplicationEvent) {
    guard let log else { return }
    switch event {
    case .apply(let turns):
      let remedy = "See by `storectl cluster verify` whether this journal and the log are whole"
      attempt(orElse: remedy) { () throws(RecoveryError) in try follow(turns) }
    case .lead:
      let remedy = "The log is as it was: install the previous version again, or one that converts this state"
      attempt(orElse: remedy) { () throws(RecoveryError) in
        guard let turn = try recovery.renumber(at: wallTime()) else { preconditionFailure("a log without a change") }
        log.append([turn])
        messages?.write(
          .warning, "this node converts the state of the cluster to the schema of its version",
          Log.Details(
            .migrated, ["FROM": "\(source.fingerprint)", "TO": "\(own.fingerprint)", "REVISION": "\(turn.revision)"]))
      }
    // The conversion is not in the log, and the state that it was made from is gone.
    case .follow: if recovery.isConverted { end(.reopens) }
    case .refused(let reason): end(.refused(reason))
    case .stored, .perform, .cancel, .leave, .startEffects, .cancelEffects, .statusChanged: break
    }
  }

  private func attempt(orElse remedy: String, _ work: () throws(RecoveryError) -> Void) {
    do throws(RecoveryError) { try work() } catch { end(.refused("\(error). \(remedy)")) }
  }

  private func follow(_ turns: [LoggedTurn]) throws(RecoveryError) {
    for turn in turns {
      try recovery.apply(turn, writtenFor: source)
      byteCount += turn.byteCount
    }
    guard byteCount > Self.foldedBytes else { return }
    byteCount = 0
    try recovery.foldForeignState()
  }

  private func receiveLogEvents() {
    for event in mailbox?.take() ?? [] {
      switch event {
      case .stored(let position): log?.journalStored(upTo: position)
      case .conflict(let position, let tail):
        let reason = "another process has written turn \(position) of the journal, which now ends at \(tail)"
        end(.refused("\(reason): give each hub a --state-dir of its own"))
      case .failed(let error): end(.refused("\(error)"))
      case .blocked(let error):
        messages?.write(
          .warning, cause: Log.Cause("a blocked journal"), "turns wait to be stored: \(error)",
          Log.Details(.logBlocked, ["REASON": "\(error)"]))
      case .unblocked:
        messages?.write(
          .info, cause: Log.Cause("a blocked journal"), "turns are stored again", Log.Details(.logUnblocked))
      case .saved, .snapshotFailed: break
      }
    }
  }
}
