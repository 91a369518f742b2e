import FoundationEssentials
import TestSupport
import Wire

/// The transcripts in `Tests/Golden`, as initial frames.
enum GoldenFiles {
  struct Frame {
    let header: [UInt8]
    let payload: [UInt8]

    var kind: FrameKind? { FrameKind(rawValue: header[4]) }
    var bytes: [UInt8] { header + payload }
  }

  /// The frames of each conversation, from all sides, in order.
  static var conversations: [[Frame]] {
    ["session", "resume", "errors"].map { frames(of: RepositoryFiles.lines("Tests/Golden/\($0).txt")) }
  }

  private static func frames(of lines: [String]) -> [Frame] {
    var frames: [Frame] = []
    var header: [UInt8]?
    for line in lines {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("header: ") {
        if let header { frames.append(Frame(header: header, payload: [])) }
        header = [UInt8](hexadecimal: line.dropFirst(8))
      } else if line.hasPrefix("payload: "), let known = header {
        frames.append(Frame(header: known, payload: [UInt8](hexadecimal: line.dropFirst(9)) ?? []))
        header = nil
      }
    }
    return frames.filter { $0.header.count == FrameHeader.byteCount }
  }
}

extension [UInt8] {
  /// Parses bytes of two digits each, and ignores spaces; nil for any other characters.
  init?(hexadecimal text: some StringProtocol) {
    let digits = text.filter { $0 != " " }.map(\.hexDigitValue)
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    let values = digits.compactMap(\.self)
    self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}
