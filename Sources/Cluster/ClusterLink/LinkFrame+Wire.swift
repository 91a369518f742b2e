import ClusterCore
import ClusterLog
package import Wire

extension LinkFrame {
  /// Appends the frame: the header of all frames (`FrameHeader`, with a kind of the link), and an item.
  package func append(to writer: inout FrameWriter) {
    var header = FrameHeader(kind: .hello)
    header.kind = kind.rawValue
    writer.frame(header) { encodePayload(to: &$0) }
  }

  /// The frame's bytes.
  package var bytes: [UInt8] {
    var writer = FrameWriter()
    append(to: &writer)
    return writer.bytes
  }

  private func encodePayload(to encoder: inout CBOREncoder) {
    switch self {
    case .hello(let hello): hello.encode(to: &encoder)
    case .goodbye(let goodbye):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(UInt64(goodbye.reason.rawValue))
      encoder.text(goodbye.text)
    case .ping(let number), .needsSnapshot(let number): encoder.unsigned(number)
    case .pong(let number, let time):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(number)
      encoder.unsigned(time)
    case .beat(let leadership, let position, let isCurrent):
      encoder.arrayHeader(count: 3)
      leadership.encode(to: &encoder)
      encoder.unsigned(position)
      encoder.bool(isCurrent)
    case .status(let history, let stored):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(history)
      encoder.unsigned(stored)
    case .session(let session):
      encoder.arrayHeader(count: session.name.isEmpty ? session.origin == nil ? 4 : 5 : 6)
      encoder.unsigned(UInt64(session.number))
      session.id.encode(to: &encoder)
      encoder.unsigned(UInt64(session.user))
      encoder.unsigned(UInt64(session.group))
      if let origin = session.origin { origin.encode(to: &encoder) } else if !session.name.isEmpty { encoder.null() }
      if !session.name.isEmpty { encoder.text(session.name) }
    case .sessionEnded(let number): encoder.unsigned(UInt64(number))
    case .sessionRefused(let number, let refusal):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(UInt64(number))
      encoder.unsigned(UInt64(refusal.rawValue))
    case .actions(let actions):
      encoder.arrayHeader(count: 4)
      encoder.unsigned(actions.term)
      encoder.unsigned(UInt64(actions.session))
      encoder.unsigned(actions.first)
      encoder.arrayHeader(count: actions.actions.count)
      for action in actions.actions { encoder.byteString(action.span.bytes) }
    case .snapshot(let head):
      encoder.arrayHeader(count: 5)
      head.place.history.encode(to: &encoder)
      encoder.unsigned(head.place.turn)
      encoder.byteString(head.place.last.bytes.span.bytes)
      encoder.unsigned(head.byteCount)
      encoder.unsigned(head.checksum)
    case .piece(let bytes): encoder.byteString(bytes.span.bytes)
    case .snapshotNotice(.preparing): encoder.null()
    case .snapshotNotice(.failed(let text)): encoder.text(text)
    case .cancel(let term, let session, let action):
      encoder.arrayHeader(count: 3)
      encoder.unsigned(term)
      encoder.unsigned(UInt64(session))
      encoder.unsigned(action)
    case .follow(nil): encoder.null()
    case .follow(let request?): request.encode(to: &encoder)
    case .followed(let answer): answer.encode(to: &encoder)
    case .entry(let entry): encoder.byteString(entry.bytes.span.bytes)
    case .part(let bytes): encoder.byteString(bytes.span.bytes)
    case .relayBeat(let beat):
      encoder.arrayHeader(count: 4)
      encoder.unsigned(beat.position)
      encoder.unsigned(beat.age)
      encoder.unsigned(beat.way)
      encoder.arrayHeader(count: beat.path.count)
      for node in beat.path { node.encode(to: &encoder) }
    }
  }

  /// Reads the payload of a frame.
  ///
  /// - Throws: `WireError` for everything that `append` does not write.
  package init(_ kind: UInt8, _ payload: RawSpan) throws(WireError) {
    guard let kind = Kind(rawValue: kind) else { throw WireError(.unknownCase(UInt64(kind), type: "a link"), at: 4) }
    var decoder = CBORDecoder(payload)
    self = try LinkFrame(kind, &decoder)
    try decoder.finish()
  }

  private init(_ kind: Kind, _ decoder: inout CBORDecoder) throws(WireError) {
    switch kind {
    case .hello: self = .hello(try LinkHello(from: &decoder))
    case .goodbye:
      try decoder.tuple(2)
      let reason = try decoder.choice(LinkGoodbye.Reason.self, of: "the reason of a goodbye")
      self = .goodbye(LinkGoodbye(received: reason, try decoder.text(limit: LinkGoodbye.textLimit)))
    case .ping: self = .ping(try decoder.unsigned())
    case .pong:
      try decoder.tuple(2)
      let number = try decoder.unsigned()
      self = .pong(number, time: try decoder.number(upTo: LinkClock.limit))
    case .needsSnapshot: self = .needsSnapshot(after: try decoder.number(upTo: LogEntry.numbers.upperBound))
    case .beat:
      try decoder.tuple(3)
      let leadership = try Leadership(from: &decoder)
      let position = try decoder.number(upTo: LogEntry.numbers.upperBound)
      self = .beat(leadership, position: position, isCurrent: try decoder.bool())
    case .status:
      try decoder.tuple(2)
      let history = try decoder.unsigned()
      self = .status(history: history, stored: try decoder.number(upTo: LogEntry.numbers.upperBound))
    case .session:
      let start = decoder.offset
      let count = try decoder.arrayHeader()
      guard (4...6).contains(count) else {
        throw WireError(.typeMismatch(expected: "an array of 4 to 6 items"), at: start)
      }
      let number = try decoder.small()
      let id = try SessionID(from: &decoder)
      let user = try decoder.small()
      let group = try decoder.small()
      var origin: NodeName?
      if count == 5 { origin = try NodeName(from: &decoder) }
      if count == 6, try !decoder.null() { origin = try NodeName(from: &decoder) }
      let name = count == 6 ? try Hello.clientName(from: &decoder) : ""
      self = .session(
        LinkSession(number: number, id: id, user: user, group: group, origin: origin, name: name))
    case .sessionEnded: self = .sessionEnded(try decoder.small())
    case .sessionRefused:
      try decoder.tuple(2)
      let number = try decoder.small()
      self = .sessionRefused(number, try decoder.choice(SessionRefusal.self, of: "the refusal of a session"))
    case .actions: self = .actions(try LinkActions(from: &decoder))
    case .snapshot:
      try decoder.tuple(5)
      let history = try LogHistory(from: &decoder)
      let turn = try decoder.number(upTo: LogEntry.numbers.upperBound)
      let last = try decoder.entry()
      let byteCount = try decoder.number(upTo: UInt64(Int.max))
      self = .snapshot(
        SnapshotHead(
          JournalPlace(history: history, last: last, turn: turn), byteCount: byteCount,
          checksum: try decoder.unsigned()))
    case .piece: self = .piece([UInt8](try decoder.byteString()))
    case .snapshotNotice:
      self = .snapshotNotice(
        try decoder.null() ? .preparing : .failed(try decoder.text(limit: SnapshotNotice.textLimit)))
    case .cancel:
      try decoder.tuple(3)
      let term = try decoder.number(upTo: LogEntry.numbers.upperBound)
      let session = try decoder.small()
      self = .cancel(term: term, session: session, action: try decoder.number(upTo: LogEntry.numbers.upperBound))
    case .follow: self = .follow(try decoder.null() ? nil : try FollowRequest(from: &decoder))
    case .followed: self = .followed(try FollowAnswer(from: &decoder))
    case .entry: self = .entry(try decoder.entry())
    case .part: self = .part([UInt8](try decoder.byteString(limit: LogEntry.byteLimit)))
    case .relayBeat:
      try decoder.tuple(4)
      let position = try decoder.number(upTo: LogEntry.numbers.upperBound)
      let age = try decoder.number(upTo: RelayBeat.ageLimit)
      let way = try decoder.unsigned()
      let start = decoder.offset
      let count = try decoder.arrayHeader()
      guard count <= RelayBeat.pathLimit else { throw WireError(.outOfRange(type: "levels of relays"), at: start) }
      var path: [NodeName] = []
      for _ in 0..<count { path.append(try NodeName(from: &decoder)) }
      self = .relayBeat(RelayBeat(position: position, age: age, way: way, path: path))
    }
  }
}

extension LinkHello: WireValue {
  /// Writes `{0: oldest, 1: newest, 2: node, 3: process, ? 4: history, 5: payload limit, 6: shares users, ? 16: [first, last]}`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 6 + (history == nil ? 0 : 1) + (users == nil ? 0 : 1))
    encoder.unsigned(0)
    encoder.unsigned(versions.lowerBound)
    encoder.unsigned(1)
    encoder.unsigned(versions.upperBound)
    encoder.unsigned(2)
    node.encode(to: &encoder)
    encoder.unsigned(3)
    encoder.unsigned(process)
    if let history {
      encoder.unsigned(4)
      history.encode(to: &encoder)
    }
    encoder.unsigned(5)
    encoder.unsigned(payloadLimit)
    encoder.unsigned(6)
    encoder.bool(sharesUsers)
    if let users {
      encoder.unsigned(16)
      encoder.arrayHeader(count: 2)
      encoder.unsigned(UInt64(users.lowerBound))
      encoder.unsigned(UInt64(users.upperBound))
    }
  }

  /// Reads a hello and skips fields of newer versions.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var (oldest, newest, process, limit): (UInt64?, UInt64?, UInt64?, UInt64?)
    var (node, history, shares, users): (NodeName?, LogHistory?, Bool?, ClosedRange<UInt32>?)
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: oldest = try decoder.unsigned()
      case 1: newest = try decoder.unsigned()
      case 2: node = try NodeName(from: &decoder)
      case 3: process = try decoder.unsigned()
      case 4: history = try LogHistory(from: &decoder)
      case 5: limit = try decoder.unsigned()
      case 6: shares = try decoder.bool()
      case 16:
        try decoder.tuple(2)
        let offset = decoder.offset
        let (first, last) = (try decoder.small(), try decoder.small())
        guard first <= last else { throw WireError(.outOfRange(type: "the numbers of users"), at: offset) }
        users = first...last
      default: try decoder.skip()
      }
    }
    func missing(_ key: UInt64) -> WireError {
      WireError(.missingField(key: key, type: "the hello of a link"), at: start)
    }
    guard let oldest else { throw missing(0) }
    guard let newest, newest > 0, newest >= oldest else { throw missing(1) }
    guard let node else { throw missing(2) }
    guard let process else { throw missing(3) }
    guard let limit else { throw missing(5) }
    guard let shares else { throw missing(6) }
    self.init(
      versions: oldest...newest, node: node, process: process, history: history, payloadLimit: limit,
      sharesUsers: shares, users: users)
  }
}

extension FollowRequest {
  /// Writes `[history or null, position, checksum]`.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    if let history { history.encode(to: &encoder) } else { encoder.null() }
    encoder.unsigned(position)
    encoder.unsigned(checksum)
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    let history = try decoder.null() ? nil : try LogHistory(from: &decoder)
    let position = try decoder.number(upTo: LogEntry.numbers.upperBound)
    self.init(history: history, position: position, checksum: try decoder.unsigned())
  }
}

extension FollowAnswer {
  private enum Code: UInt8 { case accepted = 0, notReady, ahead, loop, diverged, lacks, otherHistory }

  private var code: (Code, LogHistory?) {
    switch self {
    case .accepted(let history): (.accepted, history)
    case .refused(.notReady): (.notReady, nil)
    case .refused(.ahead): (.ahead, nil)
    case .refused(.loop): (.loop, nil)
    case .refused(.diverged): (.diverged, nil)
    case .refused(.lacks(let history)): (.lacks, history)
    case .refused(.otherHistory(let history)): (.otherHistory, history)
    }
  }

  /// Writes `[code, the name of the log or null]`.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    let (code, history) = code
    encoder.arrayHeader(count: 2)
    encoder.unsigned(UInt64(code.rawValue))
    if let history { history.encode(to: &encoder) } else { encoder.null() }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    let code = try decoder.choice(Code.self, of: "the answer to a relay")
    let start = decoder.offset
    let history = try decoder.null() ? nil : try LogHistory(from: &decoder)
    switch (code, history) {
    case (.accepted, let history?): self = .accepted(history)
    case (.notReady, nil): self = .refused(.notReady)
    case (.ahead, nil): self = .refused(.ahead)
    case (.loop, nil): self = .refused(.loop)
    case (.diverged, nil): self = .refused(.diverged)
    case (.lacks, let history?): self = .refused(.lacks(history))
    case (.otherHistory, let history?): self = .refused(.otherHistory(history))
    case (.accepted, nil), (.lacks, nil), (.otherHistory, nil), (.notReady, _), (.ahead, _), (.loop, _), (.diverged, _):
      throw WireError(.typeMismatch(expected: "the name of a log, or none"), at: start)
    }
  }
}

extension LinkActions {
  fileprivate init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(4)
    let term = try decoder.number(upTo: LogEntry.numbers.upperBound)
    let session = try decoder.small()
    let start = decoder.offset
    let first = try decoder.number(upTo: LogEntry.numbers.upperBound)
    let count = try decoder.arrayHeader()
    // The number of the last action must be a number too.
    guard first > 0, first <= LogEntry.numbers.upperBound - UInt64(count) else {
      throw WireError(.outOfRange(type: "the numbers of actions"), at: start)
    }
    var actions: [[UInt8]] = []
    for _ in 0..<count { actions.append([UInt8](try decoder.byteString())) }
    self.init(term: term, session: session, first: first, actions)
  }
}

extension CBORDecoder {
  @_lifetime(self: copy self)
  fileprivate mutating func number(upTo limit: UInt64) throws(WireError) -> UInt64 {
    let start = offset
    let number = try unsigned()
    guard number <= limit else { throw WireError(.outOfRange(type: "a number of a link"), at: start) }
    return number
  }

  @_lifetime(self: copy self)
  fileprivate mutating func small() throws(WireError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(upTo: UInt64(UInt32.max)))
  }

  @_lifetime(self: copy self)
  fileprivate mutating func entry() throws(WireError) -> EncodedEntry {
    let start = offset
    let bytes = [UInt8](try byteString(limit: LogEntry.byteLimit))
    guard let entry = try? EncodedEntry(decoding: bytes) else {
      throw WireError(.typeMismatch(expected: "an entry of the log"), at: start)
    }
    return entry
  }

  @_lifetime(self: copy self)
  fileprivate mutating func choice<Value: RawRepresentable<UInt8>>(
    _ type: Value.Type, of name: String
  ) throws(WireError) -> Value {
    let start = offset
    let number = try unsigned()
    guard let value = UInt8(exactly: number).flatMap(Value.init(rawValue:)) else {
      throw WireError(.unknownCase(number, type: name), at: start)
    }
    return value
  }
}
