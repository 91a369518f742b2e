import ClusterLog
import Wire

/// The name of the node belongs to one process.
struct Registration {
  /// The registration of this process.
  var own: (value: NodeRegistration, revision: UInt64, store: UInt64)?
  /// The registration that the next one replaces, if the process has none in the store.
  var found: StoredValue?
  /// The registration that the own one has replaced.
  var replaced: NodeRegistration?
  /// The revision of a late one of the same process.
  var lateRevision: UInt64?
  /// The read that looks for another one.
  var checking: UInt64?
  var checkAt: Duration = .zero
}

/// Two machines that are configured with the same name are told apart by the numbers of their processes. The earlier one
/// goes on, and the later one stops with `Refusal.nameTaken`. A node that the operator has removed does not register, and
/// stops with `Refusal.removed`.
extension ClusterCore {
  /// The registration with which the process proves its journal.
  func nextRegistration() -> NodeRegistration {
    let ordinal =
      ownRegistration?.ordinal
      ?? (registration.found.flatMap { try? NodeRegistration(decoding: $0.bytes.span.bytes) }?.ordinal ?? 0) + 1
    return NodeRegistration(process: options.process, ordinal: ordinal, position: candidate?.position ?? point.position)
  }

  /// The process's registration in the store of the last proof.
  private var ownRegistration: NodeRegistration? {
    registration.own.flatMap { $0.store == store ? $0.value : nil }
  }

  /// The value that the next registration replaces.
  var replacedRegistration: [UInt8]? { registration.found?.bytes ?? ownRegistration?.encoded() }

  mutating func registered(_ value: NodeRegistration, _ revision: UInt64, in store: UInt64) {
    registration.own = (value, revision, store)
    if let found = registration.found.flatMap({ try? NodeRegistration(decoding: $0.bytes.span.bytes) }) {
      registration.replaced = found
    }
    registration.found = nil
    registration.checkAt = now + options.registrationInterval
  }

  /// The proof's only condition that does not hold is the registration.
  mutating func registrationRefused(_ found: StoredValue?, in store: UInt64) {
    // An earlier attempt has succeeded.
    if let found, found.bytes == nextRegistration().encoded() { return proved(in: store, found.revision) }
    if let refusal = take(found, in: store) { return refuse(refusal) }
    prove()
  }

  /// Registers a process whose proof has to wait for a snapshot: an earlier process of the node learns of it all the same.
  mutating func registerBehind(_ found: StoredValue?, in store: UInt64) {
    if let refusal = take(found, in: store) { return refuse(refusal) }
    self.store = store
    let value = nextRegistration()
    guard aside == nil, found?.bytes != value.encoded() else { return }
    transactAside(.register(options.node, as: value, replacing: found?.bytes), for: .registration(value))
  }

  /// Takes a registration as the one that the next replaces. Returns the reason if none may: the node was removed, or it
  /// is that of an earlier process that still runs.
  private mutating func take(_ found: StoredValue?, in store: UInt64) -> Refusal? {
    let own = registration.own.flatMap { $0.store == store ? $0.value : nil }
    if let other = found.flatMap({ try? NodeRegistration(decoding: $0.bytes.span.bytes) }) {
      if other.isRemoval { return .removed(options.node) }
      if let own, other.process != options.process, other.ordinal <= own.ordinal, !isLate(other, found?.revision) {
        return .nameTaken(options.node)
      }
    }
    registration.found = found
    if own == nil || found == nil { registration.own = nil }
    return nil
  }

  /// Returns true if a registration is that of the first attempt of the process before this one, which the store has
  /// executed late, while the node was removed: that process had a higher number when this one has replaced it. It comes
  /// once. A process that still runs registers again.
  private mutating func isLate(_ other: NodeRegistration, _ revision: UInt64?) -> Bool {
    guard let replaced = registration.replaced, replaced.process == other.process, other.ordinal < replaced.ordinal
    else { return false }
    if registration.lateRevision == nil { registration.lateRevision = revision }
    return registration.lateRevision == revision
  }

  // MARK: While the node serves

  mutating func checkRegistration() {
    guard !isRelay, now >= registration.checkAt else { return }
    registration.checkAt = now + options.registrationInterval
    lastNumber += 1
    registration.checking = lastNumber
    emit(.read(lastNumber, .registration(options.node)))
  }

  /// Looks at a value of the node's key. A later revision than the own one is a fact, however late the read is.
  mutating func noteRegistration(_ found: StoredValue?) {
    guard let own = registration.own, own.store == store else { return }
    guard let found else {
      // The operator has removed a node that seemed dead, and taken it back. It could not take over without this.
      guard aside == nil else { return }
      return transactAside(
        .register(options.node, as: own.value, replacing: nil), for: .registration(own.value))
    }
    guard found.revision > own.revision,
      let other = try? NodeRegistration(decoding: found.bytes.span.bytes), other.process != options.process
    else { return }
    guard !other.isRemoval else { return refuse(.removed(options.node)) }
    guard other.ordinal > own.value.ordinal || isLate(other, found.revision) else {
      return refuse(.nameTaken(options.node))
    }
    guard aside == nil else { return }
    let value = NodeRegistration(
      process: options.process, ordinal: own.value.ordinal, position: own.value.position)
    transactAside(
      .register(options.node, as: value, replacing: found.bytes), for: .registration(value))
  }
}
