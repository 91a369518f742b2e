import TestSupport
import Testing
import Wire

/// A conversation in a transcript of a release (`Tests/Golden/releases`), as events in order.
struct ReleasedTranscript {
  struct Frame {
    let header: FrameHeader
    let payload: [UInt8]

    /// The frame's bytes with another scope number.
    func bytes(scope: UInt16) -> [UInt8] {
      var writer = FrameWriter()
      var header = header
      header.scope = scope
      writer.frame(header) { $0.append(payload.span.bytes) }
      return writer.bytes
    }
  }

  enum Event {
    case sent(Frame, connection: String)
    case received(Frame, connection: String)
    case cut(connection: String)
  }

  let events: [Event]
  /// The schema of the feature that the hub ran.
  let schema: Schema

  init(_ name: String, of version: String) throws {
    events = try Self.events(Releases.lines("\(name).txt", of: version))
    let answers = try Self.events(Releases.lines("scopes.txt", of: version)).compactMap { event -> [UInt8]? in
      guard case .received(let frame, _) = event, frame.header.kind == FrameKind.schema.rawValue else { return nil }
      return frame.header.scope == 0 ? frame.payload : nil
    }
    let answer = try #require(answers.first)
    schema = try Schema(decoding: answer.span.bytes)
  }

  private static func events(_ lines: [String]) throws -> [Event] {
    var events: [Event] = []
    var head: (direction: Character, connection: String)?
    for (number, line) in lines.enumerated() {
      let words = line.split(separator: " ")
      switch words.first {
      case ">", "<": head = (words[0].first ?? " ", String(words.last ?? ""))
      case "@" where line.hasSuffix("is cut"): events.append(.cut(connection: String(words[2])))
      case "header:":
        guard let (direction, connection) = head else { continue }
        let next = lines[number + 1].split(separator: " ")
        let payload = next.first == "payload:" ? try bytes(next[1]) : []
        let frame = Frame(header: try header(words.dropFirst().joined()), payload: payload)
        // Some frames of a client are deliberately broken.
        guard frame.header.length == payload.count else { continue }
        events.append(
          direction == ">" ? .sent(frame, connection: connection) : .received(frame, connection: connection))
      default: break
      }
    }
    return events
  }

  private static func header(_ digits: String) throws -> FrameHeader {
    let bytes = try bytes(digits[...])
    return FrameHeader(bytes.span.bytes, at: 0)
  }

  /// Reads hexadecimal digits.
  static func bytes(_ digits: Substring) throws -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    try #require(values.count == digits.count && values.count.isMultiple(of: 2))
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}
