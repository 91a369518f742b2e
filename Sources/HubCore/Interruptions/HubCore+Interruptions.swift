import Senders
import Wire

// The actions at which earlier processes have ended. See `ActionMark`.

extension HubCore {
  /// Returns the number of a connection's next actions that may be applied together; 0 if the first one is refused.
  @inline(never)
  func trustedCount(of connection: LiveConnection, _ mark: ActionMark) -> Int {
    mark.interruptions.trustedCount(of: connection.session.id, from: connection.session.processed + 1)
  }

  /// Begins work of the hub's own, and records it. Returns false if it is to be skipped.
  ///
  /// - Parameters:
  ///   - source: The origin of the work.
  ///   - action: The encoded action, or the bytes that identify an event.
  mutating func begin(_ source: Interruption.Source, _ action: RawSpan) -> Bool {
    guard let mark else { return true }
    if mark.interruptions.concernsOwn {
      let (checksum, name) = (Checksum.of(action), name(ofActionIn: action) ?? "")
      if let refusal = mark.interruptions.refusal(of: source, checksum: checksum, name: name) {
        report(.skipped(refusal))
        return false
      }
    }
    mark.begin(source, action)
    return true
  }

  /// Ends work of the hub's own that has succeeded.
  func end(_ source: Interruption.Source, _ action: RawSpan) {
    guard let mark else { return }
    mark.end()
    guard mark.interruptions.concernsOwn else { return }
    mark.succeeded(source, checksum: Checksum.of(action), name: name(ofActionIn: action) ?? "")
  }

  /// The state before an action whose changes are encoded alone; nil for most actions.
  ///
  /// A process that ended while it encoded a turn's changes may have ended because of any action of the turn. After the
  /// restart these come again, and each one's changes are encoded while the mark names it.
  var examinedVersion: StateVersion? {
    guard let mark, mark.interruptions.isExamining, turns != nil else { return nil }
    return engine.currentVersion()
  }

  /// Encodes the changes of one action alone.
  @inline(never)
  func examine(since version: StateVersion) {
    mark?.beginExamination()
    var encoder = CBOREncoder()
    engine.currentVersion().encodeDelta(from: version, to: &encoder)
    mark?.noteExamined()
  }
}

extension Interruption.Source {
  /// The origin of the work for an event.
  init(of event: HubEvent) {
    self =
      switch event {
      case .started: .started
      case .attached: .attached
      case .detached: .detached
      }
  }
}

extension HubEvent {
  /// The bytes that identify an event: empty, or the client's user and name.
  var identity: CBOREncoder {
    var encoder = CBOREncoder()
    switch self {
    case .started: break
    case .attached(let client), .detached(let client):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(UInt64(client.user.id))
      encoder.text(client.name)
    }
    return encoder
  }
}
