internal import JSONText
internal import TurnLog
internal import Wire

/// JSON objects on single lines, as written by `export`.
struct JSONLine {
  /// True for lines with all that a replay needs: the ids of sessions are complete.
  let isReplayable: Bool

  /// The version of the lines. Exports of version 1 do not name it; they have no seeds, regions and complete ids.
  static let format = 2

  /// The history: its end, its schemas, and the state with which a replay begins.
  func history(
    _ epoch: Epoch, _ head: Head, _ schemas: SchemaRows, from state: (row: SnapshotRow, bytes: [UInt8])?
  ) -> JSONValue {
    let list = schemas.rows.map { row -> JSONValue in
      [
        "first_position": .integer(row.firstPosition), "fingerprint": .string("\(row.fingerprint)"),
        "schema": .string(row.schema.encoded().hexadecimal),
      ]
    }
    var members: [JSONValue.Member] = [
      .init("epoch", .string("\(epoch)")), .init("revision", .integer(head.revision)),
      .init("schemas", .array(list)), .init("format", .integer(Self.format)),
      .init("position", .integer(head.tail.position)),
    ]
    guard isReplayable else { return .object(members) }
    members.append(.init("replayable", .bool(true)))
    if let state {
      members.append(
        .init(
          "state",
          [
            "position": .integer(state.row.position), "revision": .integer(state.row.revision),
            "fingerprint": .string(state.row.fingerprint.hexadecimal), "bytes": .string(state.bytes.hexadecimal),
          ]))
    }
    return .object(members)
  }

  func turn(_ turn: LoggedTurn) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("position", .integer(turn.position)), .init("base_revision", .integer(turn.baseRevision)),
      .init("revision", .integer(turn.revision)), .init("time_ms", .integer(turn.time)),
      .init("actions", .array(actions(turn.actions))), .init("delta", .string(turn.delta.hexadecimal)),
      .init("sessions", .array(turn.sessions.map(session))),
    ]
    if turn.region != .standard { members.append(.init("region", region(turn.region))) }
    if !turn.effects.isEmpty {
      let begun = turn.effects.begun.map { effect -> JSONValue in
        ["number": .integer(effect.number), "restart": .string(effect.action.hexadecimal)]
      }
      members.append(.init("begun_effects", .array(begun)))
      members.append(.init("ended_effects", .array(turn.effects.ended.map { .integer($0) })))
    }
    return .object(members)
  }

  /// The names that are not the standard.
  private func region(_ settings: RegionalSettings) -> JSONValue {
    let names: [(String, KeyPath<RegionalSettings, String>)] = [
      ("calendar", \.calendar), ("time_zone", \.timeZone), ("locale", \.locale),
    ]
    return .object(
      names.filter { settings[keyPath: $0.1] != RegionalSettings.standard[keyPath: $0.1] }.map { name, path in
        .init(name, .string(settings[keyPath: path]))
      })
  }

  func session(_ row: SessionRow) -> JSONValue {
    [
      "session": session(row.session), "position": .integer(row.position), "revision": .integer(row.revision),
      "time_ms": .integer(row.time),
    ]
  }

  private func session(_ session: LoggedSession) -> JSONValue {
    let rejections = session.rejections.map { rejection -> JSONValue in
      [
        "sequence": .integer(rejection.sequence), "code": .integer(rejection.code.rawValue),
        "reason": .string(rejection.reason),
      ]
    }
    var members: [JSONValue.Member] = [
      .init("id", id(session.id)), .init("user", .integer(session.user)),
      .init("process", .integer(session.process)), .init("name", .string(session.name)),
      .init("processed", .integer(session.processed)), .init("rejections", .array(rejections)),
    ]
    if let firstKept = session.firstKept { members.append(.init("first_kept", .integer(firstKept))) }
    if session.connection != 0 {
      members += [
        .init("connection", .integer(session.connection)), .init("user_name", .string(session.userName)),
        .init("groups", .array(session.groups.map { .integer($0) })),
      ]
    }
    members.append(.init("has_ended", .bool(session.hasEnded)))
    return .object(members)
  }

  /// The id of a session, or its first digits.
  private func id(_ id: SessionID) -> JSONValue { .string(isReplayable ? id.key.hexadecimal : "\(id)") }

  /// The runs of actions as objects, or the bytes in hexadecimal if they cannot be decoded.
  private func actions(_ bytes: [UInt8]) -> [JSONValue] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var runs: [JSONValue] = []
    while decoder.offset < bytes.count {
      guard let run = try? LoggedActions(from: &decoder) else { return [.string(bytes.hexadecimal)] }
      var members: [JSONValue.Member] =
        switch run.origin {
        case .hub, .effect: [.init("origin", .string(run.origin.name))]
        case .session(let id, let first, let connection):
          [.init("origin", self.id(id)), .init("first", .integer(first))]
            + (connection == 0 ? [] : [.init("connection", .integer(connection))])
        }
      members += [.init("count", .integer(run.count)), .init("actions", .string(run.actions.hexadecimal))]
      if let seed = run.seed { members.append(.init("seed", .string(seed.hexadecimal))) }
      runs.append(.object(members))
    }
    return runs
  }
}
