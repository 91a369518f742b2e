internal import HubCore
internal import Journal
internal import TurnLog
internal import Wire

/// Where the turns of a replay come from.
nonisolated protocol ReplaySource {
  /// The position of the last turn; nil if it is not known.
  var tail: UInt64? { get }
  /// The schemas, with the first turn of each.
  var schemas: [(first: UInt64, schema: Schema)] { get }
  /// A sentence about each thing that cannot be reproduced.
  var notes: [String] { get }
  /// The state with which to begin; nil for the initial state of the program.
  ///
  /// - Parameter revision: The revision after which to begin; nil for the oldest state.
  mutating func state(upTo revision: UInt64?) throws -> ReplayedState?
  /// Reads some of the turns after a position; returns none at the end.
  mutating func turns(after position: UInt64) throws -> [LoggedTurn]
}

/// A state with which a replay begins.
nonisolated struct ReplayedState {
  let position: UInt64
  let revision: UInt64
  let schema: Schema
  let bytes: [UInt8]
}

/// The turns of a journal, which a hub may be writing.
nonisolated struct JournalSource: ReplaySource {
  private let reader: JournalReader
  let tail: UInt64?
  let schemas: [(first: UInt64, schema: Schema)]
  let notes: [String] = []

  /// The number of bytes of turns that are read at once.
  private static let batchBytes = 4 << 20

  init(_ directory: String) throws(LogError) {
    reader = try JournalReader(directory)
    tail = try reader.extent().tail
    schemas = try reader.schemas().map { ($0.firstPosition, $0.schema) }
  }

  func state(upTo revision: UInt64?) throws -> ReplayedState? {
    let end: UInt64?
    if let revision {
      guard let position = try reader.position(of: revision) else {
        throw LogError(.trimmed, "revision \(revision) is not kept any more; begin later")
      }
      end = position
    } else {
      end = try reader.snapshots().first?.position
    }
    guard let end, let found = try reader.snapshot(upTo: end) else { return nil }
    return ReplayedState(
      position: found.position, revision: found.revision, schema: found.schema, bytes: found.bytes)
  }

  func turns(after position: UInt64) throws -> [LoggedTurn] {
    position < tail ?? 0 ? try reader.read(from: position + 1, byteLimit: Self.batchBytes) : []
  }
}
