package import Wire

/// Where in a cluster's log a journal ends. The journal stores it with the turns.
package struct JournalPlace: Equatable, Sendable {
  package let history: LogHistory
  /// The last entry, whose bytes prove the journal.
  package let last: EncodedEntry
  /// The number of the last turn up to the entry.
  package let turn: UInt64

  /// Describes a place.
  package init(history: LogHistory, last: EncodedEntry, turn: UInt64) {
    (self.history, self.last, self.turn) = (history, last, turn)
  }

  /// The number of the last entry.
  package var position: UInt64 { last.entry.position }

  /// The point of the log after the last entry.
  package var point: LogPoint { LogPoint(after: last, turn: turn) }
}

extension JournalPlace: WireValue {
  /// Writes `[history, turn, entry]`; the entry is a byte string.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    history.encode(to: &encoder)
    encoder.unsigned(turn)
    encoder.byteString(last.bytes.span.bytes)
  }

  /// Reads a place.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    history = try LogHistory(from: &decoder)
    turn = try decoder.number(in: 0...LogEntry.numbers.upperBound, of: "a turn")
    let start = decoder.offset
    let bytes = [UInt8](try decoder.byteString())
    do throws(LogDamage) { last = try EncodedEntry(decoding: bytes) } catch {
      throw WireError(.doesNotFit(type: "entry"), at: start)
    }
  }
}
