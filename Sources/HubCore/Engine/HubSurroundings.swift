import Dependencies
import Senders
import Wire

/// The surroundings of the hub's reducer: the sender of the action, the time of the turn, and random numbers that follow
/// from the action.
///
/// Kept up to date for each frame of actions, not for each action. Nothing is computed unless a reducer reads it.
final class HubSurroundings {
  /// The origin of the actions that are reduced.
  enum Origin {
    case hub
    case effect
    case client
  }

  // What each frame and each turn uses omits the exclusivity check: only the core uses it, one property at a time.

  /// The origin of the actions that are reduced.
  @exclusivity(unchecked) private var origin = Origin.hub
  /// The client whose actions were reduced last. It is kept until it has gone, so that the next frame of the same client
  /// counts no reference.
  @exclusivity(unchecked) private var client: LiveConnection?
  /// Returns the machine's time, in milliseconds since 1970; nil if the reducer reads the machine's time itself.
  var clock: (() -> Int64)?
  /// Receives what the reducer reads that is not reproducible.
  var onIrreproducibleRead: ((String) -> Void)?
  /// The calendar, the time zone and the locale that the reducer reads, and their names.
  private(set) var region = RegionalValues.standard
  private(set) var regionalSettings = RegionalSettings.standard
  private let engine: any Engine
  /// What the reducer reads.
  private let surroundings: ReducerSurroundings
  /// The key of the hub's own random numbers in this process.
  private let key: [UInt8]
  /// The time of the present turn; nil until a reducer has read it.
  @exclusivity(unchecked) private var turnTime: Int64?
  /// The time of the last turn with a time.
  private var lastTime: Int64
  @exclusivity(unchecked) private var randomness: ActionRandomness?
  /// The seed of the random numbers that the present action of the hub itself has drawn.
  private var ownSeed: [UInt8]?
  /// The number of seeds so far. The revision would not tell an event from the action before it.
  private var seedCount: UInt64 = 0

  /// - Parameters:
  ///   - engine: The feature.
  ///   - key: The key of the hub's own random numbers, known to nobody else.
  ///   - lastTime: The time of the last turn of the hub's history; .min if there is none.
  init(_ engine: any Engine, key: [UInt8], after lastTime: Int64) {
    (self.engine, self.key, self.lastTime) = (engine, key, lastTime)
    let reader = Reader()
    surroundings = ReducerSurroundings(
      sender: { reader.values.sender }, time: { reader.values.time }, random: { reader.values.nextRandom() },
      region: { reader.values.region }, report: { reader.values.onIrreproducibleRead?($0) })
    reader.owner = self
  }

  /// What a reducer asks. It is made before these values, which it needs to be a constant of them.
  private final class Reader {
    weak var owner: HubSurroundings?
    var values: HubSurroundings {
      guard let owner else { preconditionFailure("a reducer of a hub that is gone") }
      return owner
    }
  }

  private var sender: Sender {
    switch origin {
    case .hub: .hub
    case .effect: .effect
    case .client: .client(sendingConnection.client)
    }
  }

  private var sendingConnection: LiveConnection {
    guard let client else { preconditionFailure("the actions of a client have a connection") }
    return client
  }

  private var time: Int64? {
    if let turnTime { return turnTime }
    guard let clock else { return nil }
    turnTime = max(clock(), lastTime)
    return turnTime
  }

  private func nextRandom() -> UInt64? {
    switch origin {
    case .client:
      let connection = sendingConnection
      let number = connection.session.processed &+ 1 &+ engine.batchCount
      if randomness?.begin(number) == nil {
        randomness = ActionRandomness(key: connection.session.id.key, action: number)
      }
    case .hub, .effect:
      if randomness == nil {
        seedCount += 1
        let seed = ActionRandomness.seed(number: seedCount, key: key)
        ownSeed = seed
        randomness = ActionRandomness(key: seed, action: 0)
      }
    }
    return randomness?.next()
  }

  /// Begins the actions of a client, with the first random number of each.
  /// - Returns: The outer surroundings and the previous origin, for `end`.
  func begin(actionsOf client: LiveConnection) -> (UnsafeMutableRawPointer?, Origin) {
    if self.client !== client { self.client = client }
    return begin(.client)
  }

  /// Begins the actions of the hub itself or of an effect, with the first random number of each.
  /// - Returns: The outer surroundings and the previous origin, for `end`.
  func begin(ownActionsOf origin: Origin) -> (UnsafeMutableRawPointer?, Origin) { begin(origin) }

  /// Forgets a client that has gone, unless its actions are being reduced.
  func forget(_ client: LiveConnection) {
    if self.client === client, origin != .client { self.client = nil }
  }

  private func begin(_ origin: Origin) -> (UnsafeMutableRawPointer?, Origin) {
    let outer = (surroundings.begin(), self.origin)
    self.origin = origin
    beginAction()
    return outer
  }

  /// Returns to the outer surroundings and the previous origin.
  func end(_ outer: (UnsafeMutableRawPointer?, Origin)) {
    origin = outer.1
    beginAction()
    ReducerSurroundings.end(outer.0)
  }

  /// Begins another action of the hub itself or of an effect, with the first random number.
  func beginAction() {
    if randomness != nil { (randomness, ownSeed) = (nil, nil) }
  }

  /// The seed of the random numbers that the present action of the hub itself, or of an effect, has drawn; nil if it has
  /// drawn none.
  var seed: [UInt8]? { ownSeed }

  /// Ends the turn; the next one has a time of its own.
  ///
  /// - Parameter time: The machine's time.
  /// - Returns: The time of the turn, for the log.
  func endTurn(at time: Int64) -> Int64 {
    lastTime = max(turnTime ?? time, lastTime)
    turnTime = nil
    return lastTime
  }

  /// Sets the calendar, the time zone and the locale that the reducer reads.
  func setRegion(_ settings: RegionalSettings, _ values: RegionalValues) {
    (regionalSettings, region) = (settings, values)
  }

  /// Records the time of another hub's turn: that of this hub's later ones is not earlier.
  func note(timeOfTurn time: Int64) { lastTime = max(time, lastTime) }

  /// Ends a turn that is not logged.
  func endTurn() {
    guard let time = turnTime else { return }
    (lastTime, turnTime) = (time, nil)
  }
}
