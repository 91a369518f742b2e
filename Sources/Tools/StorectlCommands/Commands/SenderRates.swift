internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import Wire

extension SenderRates {
  func json(ofUsersOf clients: [Attendee]) -> JSONValue {
    .array(
      users(of: clients).map { user, count, rate in
        [
          "user": .integer(user), "userName": userName(user).map { .string($0) } ?? .null,
          "clients": .integer(count), "actionsPerSecond": .integer(rate.nearestInteger),
        ]
      })
  }
}
