import ClusterCore

/// The sessions of this node that the other one knows, by the numbers that stand for them.
struct AnnouncedSessions {
  private var numbers: [ClusterSession: UInt32] = [:]
  private var sessions: [UInt32: ClusterSession] = [:]
  private var refused: Set<ClusterSession> = []
  private var lastNumber: UInt32 = 0

  /// The number of a session, and whether it must be announced first.
  mutating func number(of session: ClusterSession) -> (UInt32, isNew: Bool) {
    if let number = numbers[session] { return (number, false) }
    repeat { lastNumber &+= 1 } while sessions[lastNumber] != nil
    (numbers[session], sessions[lastNumber]) = (lastNumber, session)
    return (lastNumber, true)
  }

  /// The number of a session that the other node knows; nil otherwise, and for one whose actions it does not perform.
  func known(_ session: ClusterSession) -> UInt32? { refused.contains(session) ? nil : numbers[session] }

  mutating func remove(_ session: ClusterSession) -> UInt32? {
    refused.remove(session)
    guard let number = numbers.removeValue(forKey: session) else { return nil }
    sessions[number] = nil
    return number
  }

  /// Marks a session whose actions the other node does not perform; nil if it has ended since.
  mutating func refuse(_ number: UInt32) -> ClusterSession? {
    guard let session = sessions[number], refused.insert(session).inserted else { return nil }
    return session
  }

  func isRefused(_ session: ClusterSession) -> Bool { refused.contains(session) }
}

/// The sessions of the other node.
struct AcceptedSessions {
  private var sessions: [UInt32: (session: ClusterSession, isRefused: Bool)] = [:]
  /// The names of the clients that have one.
  private var names: [UInt32: String] = [:]
  private var numbers: [ClusterSession: UInt32] = [:]
  /// The number of those whose actions are performed.
  private(set) var count = 0

  subscript(number: UInt32) -> (session: ClusterSession, isRefused: Bool)? { sessions[number] }

  /// True if sessions were refused that are not kept, so that actions of unknown ones may come.
  private(set) var hasOverflowed = false

  enum Addition { case added, known, full }

  /// Adds a session, unless its number or the session itself is there, or there are too many.
  mutating func add(
    _ session: ClusterSession, _ number: UInt32, name: String, isRefused: Bool, limit: Int
  ) -> Addition {
    guard sessions[number] == nil, numbers[session] == nil else { return .known }
    guard sessions.count < limit else {
      hasOverflowed = true
      return .full
    }
    sessions[number] = (session, isRefused)
    numbers[session] = number
    if !name.isEmpty { names[number] = name }
    if !isRefused { count += 1 }
    return .added
  }

  /// Marks a session whose actions a node further up does not perform; nil if it is not known, or marked.
  mutating func refuse(_ session: ClusterSession) -> UInt32? {
    guard let number = numbers[session], sessions[number]?.isRefused == false else { return nil }
    sessions[number] = (session, true)
    count -= 1
    return number
  }

  /// The name of a session's client; nil if it has none, or the session is not known.
  func name(of session: ClusterSession) -> String? { numbers[session].flatMap { names[$0] } }

  mutating func remove(_ number: UInt32) -> ClusterSession? {
    guard let (session, isRefused) = sessions.removeValue(forKey: number) else { return nil }
    (numbers[session], names[number]) = (nil, nil)
    if !isRefused { count -= 1 }
    return session
  }
}

/// A number of bytes a second, of which those of one second may come at once.
struct ByteQuota {
  let perSecond: Int
  private var spentBytes = 0
  private var at: Duration

  init(perSecond: Int, now: Duration) { (self.perSecond, at) = (max(perSecond, 1), now) }

  /// Takes bytes that have arrived; returns the time until which no more may be read, if they were too many.
  mutating func take(_ count: Int, at time: Duration) -> Duration? {
    let passed = (time - at) / .milliseconds(1)
    at = time
    spentBytes = max(0, spentBytes - Int(min(passed * Double(perSecond) / 1000, 1e15))) + count
    let excess = spentBytes - perSecond
    return excess > 0 ? time + .seconds(1) * (Double(excess) / Double(perSecond)) : nil
  }
}
