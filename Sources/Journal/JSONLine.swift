internal import JSONText
internal import TurnLog
internal import Wire

/// JSON objects on single lines, as written by `export`.
enum JSONLine {
  static func history(_ epoch: Epoch, _ revision: UInt64, _ schemas: SchemaRows) -> JSONValue {
    let list = schemas.rows.map { row -> JSONValue in
      [
        "first_position": .integer(row.firstPosition), "fingerprint": .string("\(row.fingerprint)"),
        "schema": .string(row.schema.encoded().hexadecimal),
      ]
    }
    return ["epoch": .string("\(epoch)"), "revision": .integer(revision), "schemas": .array(list)]
  }

  static func turn(_ turn: LoggedTurn) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("position", .integer(turn.position)), .init("base_revision", .integer(turn.baseRevision)),
      .init("revision", .integer(turn.revision)), .init("time_ms", .integer(turn.time)),
      .init("actions", .array(actions(turn.actions))), .init("delta", .string(turn.delta.hexadecimal)),
      .init("sessions", .array(turn.sessions.map(session))),
    ]
    if !turn.effects.isEmpty {
      let begun = turn.effects.begun.map { effect -> JSONValue in
        ["number": .integer(effect.number), "restart": .string(effect.action.hexadecimal)]
      }
      members.append(.init("begun_effects", .array(begun)))
      members.append(.init("ended_effects", .array(turn.effects.ended.map { .integer($0) })))
    }
    return .object(members)
  }

  static func session(_ row: SessionRow) -> JSONValue {
    [
      "session": session(row.session), "position": .integer(row.position), "revision": .integer(row.revision),
      "time_ms": .integer(row.time),
    ]
  }

  private static func session(_ session: LoggedSession) -> JSONValue {
    let rejections = session.rejections.map { rejection -> JSONValue in
      [
        "sequence": .integer(rejection.sequence), "code": .integer(rejection.code.rawValue),
        "reason": .string(rejection.reason),
      ]
    }
    var members: [JSONValue.Member] = [
      .init("id", .string("\(session.id)")), .init("user", .integer(session.user)),
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

  /// The runs of actions as objects, or the bytes in hexadecimal if they cannot be decoded.
  private static func actions(_ bytes: [UInt8]) -> [JSONValue] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var runs: [JSONValue] = []
    while decoder.offset < bytes.count {
      guard let run = try? LoggedActions(from: &decoder) else { return [.string(bytes.hexadecimal)] }
      var members: [JSONValue.Member] =
        switch run.origin {
        case .hub, .effect: [.init("origin", .string(run.origin.name))]
        case .session(let id, let first, let connection):
          [.init("origin", .string("\(id)")), .init("first", .integer(first))]
            + (connection == 0 ? [] : [.init("connection", .integer(connection))])
        }
      members += [.init("count", .integer(run.count)), .init("actions", .string(run.actions.hexadecimal))]
      runs.append(.object(members))
    }
    return runs
  }
}
