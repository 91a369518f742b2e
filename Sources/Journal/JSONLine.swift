internal import TurnLog
internal import Wire

/// JSON objects on single lines, as written by `export`.
enum JSONLine {
  static func history(_ epoch: Epoch, _ revision: UInt64, _ schemas: SchemaRows) -> String {
    let list = schemas.rows.map { row in
      """
      {"first_position":\(row.firstPosition),"fingerprint":"\(row.fingerprint)",\
      "schema":"\(row.schema.encoded().hexadecimal)"}
      """
    }
    return #"{"epoch":"\#(epoch)","revision":\#(revision),"schemas":[\#(list.joined(separator: ","))]}"#
  }

  static func turn(_ turn: LoggedTurn) -> String {
    """
    {"position":\(turn.position),"base_revision":\(turn.baseRevision),"revision":\(turn.revision),\
    "time_ms":\(turn.time),"actions":[\(actions(turn.actions))],"delta":"\(turn.delta.hexadecimal)",\
    "sessions":[\(turn.sessions.map(session).joined(separator: ","))]}
    """
  }

  static func session(_ row: SessionRow) -> String {
    """
    {"session":\(session(row.session)),"position":\(row.position),"revision":\(row.revision),"time_ms":\(row.time)}
    """
  }

  private static func session(_ session: LoggedSession) -> String {
    let rejections = session.rejections.map {
      #"{"sequence":\#($0.sequence),"code":\#($0.code.rawValue),"reason":\#(string($0.reason))}"#
    }
    let firstKept = session.firstKept.map { #""first_kept":\#($0),"# } ?? ""
    return """
      {"id":"\(session.id)","user":\(session.user),"process":\(session.process),"name":\(string(session.name)),\
      "processed":\(session.processed),"rejections":[\(rejections.joined(separator: ","))],\
      \(firstKept)"has_ended":\(session.hasEnded)}
      """
  }

  /// The runs of actions as objects, or the bytes in hexadecimal if they cannot be decoded.
  private static func actions(_ bytes: [UInt8]) -> String {
    var decoder = CBORDecoder(bytes.span.bytes)
    var runs: [String] = []
    while decoder.offset < bytes.count {
      guard let run = try? LoggedActions(from: &decoder) else { return #""\#(bytes.hexadecimal)""# }
      let origin =
        switch run.origin {
        case .hub: #""origin":"hub""#
        case .session(let id, let first): #""origin":"\#(id)","first":\#(first)"#
        }
      runs.append(#"{\#(origin),"count":\#(run.count),"actions":"\#(run.actions.hexadecimal)"}"#)
    }
    return runs.joined(separator: ",")
  }

  /// A quoted JSON string.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20: result += "\\u" + [0, UInt8(scalar.value)].hexadecimal
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
