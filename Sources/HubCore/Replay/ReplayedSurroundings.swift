import Dependencies
import Senders
import TurnLog
import Wire

/// The surroundings of stored actions: those that the hub's reducer had. Nothing is computed unless a reducer reads it.
final class ReplayedSurroundings {
  private let engine: any Engine
  private var turn: LoggedTurn
  private var run = LoggedActions(origin: .hub, count: 0, actions: [])
  private var randomness: ActionRandomness?
  private(set) lazy var reducer = ReducerSurroundings(
    sender: { [unowned self] in sender }, time: { [unowned self] in turn.time },
    random: { [unowned self] in nextRandom() }, region: { [unowned self] in region })
  /// The calendar, the time zone and the locale of the turn, and their names.
  private var region = RegionalValues.standard
  private var settings = RegionalSettings.standard

  init(_ engine: any Engine) {
    self.engine = engine
    turn = LoggedTurn(position: 0, baseRevision: 0, revision: 0, time: 0)
  }

  /// Begins the actions of one origin in a turn.
  func begin(_ run: LoggedActions, of turn: LoggedTurn) { (self.run, self.turn, randomness) = (run, turn, nil) }

  /// Sets the calendar, the time zone and the locale that the reducer has read.
  func begin(_ settings: RegionalSettings) throws(UnknownRegion) {
    guard settings != self.settings else { return }
    (region, self.settings) = (try RegionalValues(settings), settings)
  }

  private var sender: Sender {
    switch run.origin {
    case .hub: .hub
    case .effect: .effect
    case .session(let id, _, let connection): .client(turn.client(of: id, connection))
    }
  }

  private func nextRandom() -> UInt64? {
    let (key, number): ([UInt8], UInt64) =
      switch run.origin {
      // The hub's reducer has drawn none where there is no seed: any numbers show the difference.
      case .hub, .effect: (run.seed ?? [], 0)
      case .session(let id, let first, _): (id.key, first &+ engine.batchCount)
      }
    if randomness?.begin(number) == nil { randomness = ActionRandomness(key: key, action: number) }
    return randomness?.next()
  }
}

extension LoggedTurn {
  /// The client on a connection. Journals of version 4 and earlier do not have its connection, groups and user's name.
  fileprivate func client(of session: SessionID, _ connection: UInt64) -> HubClient {
    let records = sessions.filter { $0.id == session }
    let record = records.first { $0.connection == connection } ?? records.first
    return record?.client
      ?? HubClient(
        connection: connection, session: session.identity, name: record?.name ?? "", process: record?.process ?? 0,
        user: SystemUser(id: record?.user ?? 0))
  }
}
