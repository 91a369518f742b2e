package import Wire

/// Code of the feature during which a process of the hub has ended: a trap, a watchdog, or by chance a signal such as
/// SIGKILL.
package struct Interruption: Equatable, Sendable {
  /// The code.
  package enum Place: Equatable, Sendable {
    /// The reducer, for an action of a client.
    case client(SessionID, sequence: UInt64)
    /// The hub's own work. The name is that of the action, or empty; the checksum that of its bytes, or nil for all
    /// actions of the name.
    case own(Source, name: String, checksum: UInt64?)
    /// The encoding of a turn's changes, which any action of the turn may have caused.
    case turn
  }

  /// The origin of the hub's own work.
  package enum Source: UInt64, Sendable {
    /// The feature's answer to the hub's start, and its actions.
    case started = 1
    /// The feature's answer to a client that attaches, and its actions.
    case attached
    /// The feature's answer to a client that detaches, and its actions.
    case detached
    /// An action of the program.
    case program
    /// An action of an effect.
    case effect
    /// The next step of a sequence of effects.
    case nextStep
    /// The computation of a view, whose name takes the place of the action's.
    case view
  }

  /// The place.
  package let place: Place
  /// The number of processes that have ended there.
  package internal(set) var count = 1
  /// The last lines that the last of them wrote on standard error; empty if there are none.
  package internal(set) var message: String

  init(_ place: Place, message: String) { (self.place, self.message) = (place, message) }

  /// True if the action is refused from now on.
  package var isRefused: Bool {
    switch place {
    case .client, .own(_, _, _?): count >= 2
    // Two different actions of a name are a weaker sign.
    case .own(_, _, nil): count >= 3
    case .turn: false
    }
  }
}

/// The interruptions of earlier processes.
struct Interruptions: Equatable {
  /// The maximum number; the oldest are forgotten.
  static let limit = 24
  /// The maximum number of bytes of a message.
  static let messageLimit = 256

  private(set) var list: [Interruption] = []
  /// The number of further actions whose changes are encoded alone, to find the one whose turn cannot be encoded.
  private(set) var examinedCount = 0
  /// The value of `examinedCount` at the start.
  private var examinedLimit = 0
  /// True if actions of clients are refused or examined.
  private(set) var concernsClients = false
  /// True if there are interruptions of the hub's own work.
  private(set) var concernsOwn = false

  init() {}

  /// True if each action's changes are encoded before the next action.
  var isExamining: Bool { examinedCount > 0 }

  /// Adds an interruption, or counts it if there was one at the same place.
  mutating func note(_ interruption: Interruption) {
    switch interruption.place {
    case .client: add(interruption)
    case .own(let source, let name, _):
      add(interruption)
      add(Interruption(.own(source, name: name, checksum: nil), message: interruption.message))
    case .turn:
      // If the culprit did not come among those, among more.
      examinedLimit = min(max(examinedLimit * 16, 4096), 1 << 24)
    }
    // Also after another end: the action that was found must end a second process, and others may be behind it.
    examinedCount = examinedLimit
    classify()
  }

  private mutating func add(_ interruption: Interruption) {
    var interruption = interruption
    interruption.message = interruption.message.prefix(byteCount: Self.messageLimit)
    if let index = list.firstIndex(where: { $0.place == interruption.place }) {
      interruption.count = list.remove(at: index).count + 1
    }
    list.append(interruption)
    if list.count > Self.limit { list.removeFirst(list.count - Self.limit) }
  }

  private mutating func classify() {
    concernsOwn = list.contains { if case .own = $0.place { true } else { false } }
    concernsClients = isExamining || list.contains { if case .client = $0.place { $0.isRefused } else { false } }
  }

  /// Returns the interruption as it was counted, including earlier ones at the same place.
  func known(_ interruption: Interruption) -> Interruption? { list.last { $0.place == interruption.place } }

  /// The interruption because of which work of the hub's own is refused; nil if it is not.
  func refusal(of source: Interruption.Source, checksum: UInt64, name: @autoclosure () -> String) -> Interruption? {
    guard concernsOwn else { return nil }
    let name = name()
    return list.first { $0.isRefused && $0.concerns(source, checksum: checksum, name: name) }
  }

  /// Returns the number of a session's next actions, from a sequence number on, that may be applied together, and 0 if
  /// the first one is refused.
  func trustedCount(of session: SessionID, from sequence: UInt64) -> Int {
    var count = isExamining ? 1 : Int.max
    for interruption in list where interruption.isRefused {
      guard case .client(session, let refused) = interruption.place, refused >= sequence else { continue }
      count = min(count, Int(clamping: refused - sequence))
    }
    return count
  }

  /// Removes interruptions of work that has succeeded now and is not refused. Returns true if there were any.
  mutating func forgive(_ source: Interruption.Source, checksum: UInt64, name: String) -> Bool {
    let count = list.count
    list.removeAll { !$0.isRefused && $0.concerns(source, checksum: checksum, name: name) }
    guard list.count < count else { return false }
    classify()
    return true
  }

  mutating func noteExamined() {
    examinedCount -= 1
    if examinedCount == 0 { classify() }
  }

  // MARK: Encoding

  /// Writes `[examinedLimit, interruptions…]`.
  func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: 1 + list.count)
    encoder.unsigned(UInt64(examinedLimit))
    for interruption in list { interruption.encode(to: &encoder) }
    return encoder.bytes
  }

  /// Reads what `encoded` wrote.
  init(decoding bytes: RawSpan) throws(WireError) {
    var decoder = CBORDecoder(bytes)
    let count = try decoder.arrayHeader()
    examinedLimit = Int(clamping: try decoder.unsigned())
    for _ in 1..<max(count, 1) { list.append(try Interruption(from: &decoder)) }
    try decoder.finish()
    classify()
  }
}

extension Interruption {
  func concerns(_ source: Source, checksum: UInt64, name: String) -> Bool {
    switch place {
    case .own(source, _, let own?): own == checksum
    case .own(source, name, nil): true
    case .own, .client, .turn: false
    }
  }

  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 5)
    encoder.unsigned(UInt64(count))
    encoder.text(message)
    switch place {
    case .client(let session, let sequence):
      encoder.unsigned(0)
      session.encode(to: &encoder)
      encoder.unsigned(sequence)
    case .own(let source, let name, let checksum):
      encoder.unsigned(source.rawValue)
      encoder.text(name)
      if let checksum { encoder.unsigned(checksum) } else { encoder.null() }
    case .turn: preconditionFailure("an interruption of a turn is a limit of examined actions")
    }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(5)
    count = Int(clamping: try decoder.unsigned())
    message = try decoder.text(limit: Interruptions.messageLimit)
    let start = decoder.offset
    let kind = try decoder.unsigned()
    if kind == 0 {
      place = .client(try SessionID(from: &decoder), sequence: try decoder.unsigned())
    } else if let source = Source(rawValue: kind) {
      let name = try decoder.text()
      place = .own(source, name: name, checksum: try decoder.null() ? nil : try decoder.unsigned())
    } else {
      throw WireError(.typeMismatch(expected: "the origin of an action"), at: start)
    }
  }
}
