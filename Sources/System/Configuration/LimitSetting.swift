package import HubCore
internal import ProgramOptions
internal import Spelling

/// A limit that can be configured: its name in the file, its permitted values, and its meaning.
package struct LimitSetting: Sendable {
  /// The kinds of values.
  enum Kind: Sendable {
    case count(ClosedRange<Int>)
    case bytes(ClosedRange<Int>)
    case time(ClosedRange<Duration>)
    /// A count, or `none`.
    case optionalCount(ClosedRange<Int>)
  }

  /// The key.
  package let name: String
  /// A description of the limit, and of the consequence of exceeding it.
  package let meaning: String
  let kind: Kind
  private let write: @Sendable (inout HubLimits, Value) -> Void
  private let read: @Sendable (HubLimits) -> Value

  enum Value {
    case count(Int)
    case time(Duration)
    case none
  }

  /// Returns the limit's value in some limits, as written in a file.
  package func value(in limits: HubLimits) -> String {
    switch (read(limits), kind) {
    case (.none, _): "none"
    case (.time(let time), _): Self.text(of: time)
    case (.count(let count), .bytes): Self.text(ofBytes: count)
    case (.count(let count), _): "\(count)"
    }
  }

  /// Sets the limit.
  /// - Throws: The permitted values, if the text is not one of them.
  func set(_ text: String, in limits: inout HubLimits) throws(LimitError) {
    switch kind {
    case .optionalCount where text == "none": write(&limits, .none)
    case .count(let range), .optionalCount(let range):
      guard let count = Int(text), range.contains(count) else { throw LimitError(allowed: allowed) }
      write(&limits, .count(count))
    case .bytes(let range):
      guard let count = Self.bytes(text), range.contains(count) else { throw LimitError(allowed: allowed) }
      write(&limits, .count(count))
    case .time(let range):
      guard let time = Self.time(text), range.contains(time) else { throw LimitError(allowed: allowed) }
      write(&limits, .time(time))
    }
  }

  /// A description of the permitted values.
  package var allowed: String {
    switch kind {
    case .count(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .optionalCount(let range): "a number from \(range.lowerBound) to \(range.upperBound), or none"
    case .bytes(let range):
      "a number of bytes from \(Self.text(ofBytes: range.lowerBound)) to \(Self.text(ofBytes: range.upperBound)), such as 64M"
    case .time(let range):
      "a time from \(Self.text(of: range.lowerBound)) to \(Self.text(of: range.upperBound)), such as 500ms, 1.5s or 2m"
    }
  }

  private static let units: [(suffix: String, count: Int)] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]

  static func bytes(_ text: String) -> Int? {
    for (suffix, count) in units where text.hasSuffix(suffix) {
      guard let number = Int(text.dropLast()), number >= 0 else { return nil }
      let product = number.multipliedReportingOverflow(by: count)
      return product.overflow ? nil : product.partialValue
    }
    return Int(text)
  }

  static func text(ofBytes count: Int) -> String {
    let unit = units.first { count >= $0.count && count % $0.count == 0 }
    return unit.map { "\(count / $0.count)\($0.suffix)" } ?? "\(count)"
  }

  /// A duration of whole milliseconds, as the effective configuration prints it.
  static func time(_ text: String) -> Duration? {
    guard let time = Duration(text: text), time.components.attoseconds % 1_000_000_000_000_000 == 0 else { return nil }
    return time
  }

  static func text(of time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1000 + milliseconds)ms"
  }
}

/// A value that a limit cannot have.
struct LimitError: Error {
  let allowed: String
}

extension LimitSetting {
  private static func count(
    _ name: String, _ path: any WritableKeyPath<HubLimits, Int> & Sendable, _ range: ClosedRange<Int>, _ meaning: String
  ) -> LimitSetting {
    LimitSetting(name: name, meaning: meaning, kind: .count(range)) {
      if case .count(let count) = $1 { $0[keyPath: path] = count }
    } read: {
      .count($0[keyPath: path])
    }
  }

  /// A count for which `.max` stands for no limit.
  private static func optionalCount(
    _ name: String, _ path: any WritableKeyPath<HubLimits, Int> & Sendable, _ range: ClosedRange<Int>, _ meaning: String
  ) -> LimitSetting {
    LimitSetting(name: name, meaning: meaning, kind: .optionalCount(range)) {
      if case .count(let count) = $1 { $0[keyPath: path] = count } else { $0[keyPath: path] = .max }
    } read: {
      $0[keyPath: path] == .max ? .none : .count($0[keyPath: path])
    }
  }

  private static func bytes(
    _ name: String, _ path: any WritableKeyPath<HubLimits, Int> & Sendable, _ range: ClosedRange<Int>, _ meaning: String
  ) -> LimitSetting {
    LimitSetting(name: name, meaning: meaning, kind: .bytes(range)) {
      if case .count(let count) = $1 { $0[keyPath: path] = count }
    } read: {
      .count($0[keyPath: path])
    }
  }

  private static func time(
    _ name: String, _ path: any WritableKeyPath<HubLimits, Duration> & Sendable, _ meaning: String
  ) -> LimitSetting {
    LimitSetting(name: name, meaning: meaning, kind: .time(.milliseconds(100) ... .seconds(600))) {
      if case .time(let time) = $1 { $0[keyPath: path] = time }
    } read: {
      .time($0[keyPath: path])
    }
  }

  /// All limits, in the order in which they are described.
  package static let all: [LimitSetting] = [
    count(
      "connections", \.connections, 1...1_000_000, "the number of open connections; further ones are refused"),
    optionalCount(
      "connections-per-user", \.connectionsPerUser, 1...1_000_000,
      "the number of open connections of one user"),
    time("hello-timeout", \.helloTimeout, "the time within which a new connection must send its first message"),
    time("frame-timeout", \.frameTimeout, "the time within which a frame must be completed"),
    time(
      "hold-timeout", \.holdTimeout,
      "the time for which a client without a connection holds the effects that it shares with others"),
    bytes(
      "frame-bytes", \.payloadBytes, 1 << 10...64 << 20,
      "the maximum size of a message from a client, at most held-bytes-per-user and half of held-bytes; a larger one closes the connection before memory is allocated for it"
    ),
    bytes(
      "held-bytes-per-user", \.heldBytesPerUser, 1 << 20...64 << 30,
      "the number of bytes held for the connections of one user: incomplete messages, unread output, unacknowledged rejections and unsent refusals of parts; beyond it the connection that holds the most is closed"
    ),
    bytes(
      "held-bytes", \.heldBytes, 1 << 20...1 << 40,
      "the number of such bytes held for all users; each user's share shrinks as the number of users grows"),
    bytes(
      "state-bytes", \.stateBytes, 1 << 20...16 << 30,
      "the maximum size of the encoded state; an action that would exceed it is rejected"),
    LimitSetting(
      name: "actions-per-second",
      meaning: "the average number of actions and other messages that one user may send per second; further ones wait",
      kind: .optionalCount(1...100_000_000)
    ) {
      if case .count(let count) = $1 { $0.actionsPerSecond = count } else { $0.actionsPerSecond = nil }
    } read: {
      $0.actionsPerSecond.map { .count($0) } ?? .none
    },
    count(
      "scopes", \.scopes, 4...10_000,
      "the number of parts of the state that one connection may attach; storeterm needs 4"),
    count(
      "views", \.views, 0...10_000,
      "the number of parts of the feature's views that one connection may attach"),
    count(
      "views-per-user", \.viewsPerUser, 0...1_000_000,
      "the number of parts of views that the connections of one user may attach"),
    count(
      "window-elements", \.windowElements, 0...1_000_000,
      "the number of elements of all windows of collections that one connection may attach; 0 for no windows"),
    count(
      "window-elements-per-user", \.windowElementsPerUser, 0...100_000_000,
      "the number of elements of all windows that the connections of one user may attach; a smaller window than one of 16 elements counts as one"
    ),
    count(
      "sessions", \.detachedSessions, 1...10_000_000,
      "the number of sessions kept without a connection; beyond it the user with the most sessions loses the oldest; one counts once more for each 4 KiB of its unacknowledged rejections"
    ),
  ]

  /// Returns the limit with a name.
  /// - Throws: The most similar names, if there is no such limit.
  static func named(_ name: String) throws(LimitError) -> LimitSetting {
    if let setting = all.first(where: { $0.name == name }) { return setting }
    let names = all.map(\.name)
    throw LimitError(
      allowed: names.joined(separator: ", ") + Spelling.question(Spelling.nearest(to: name, among: names)))
  }
}
