internal import JSONText
internal import Journal
internal import SchemaNames
internal import TurnLog
internal import Wire

/// The changes that turns of a journal have made, as texts.
struct TurnChanges {
  private let reader: JournalReader
  /// The maximum number of changes that are shown, of characters of a value, and of turns since the last snapshot that
  /// are read for them.
  private static let (changeLimit, valueLimit, turnLimit) = (100, 200, UInt64(50_000))

  init(_ reader: JournalReader) { self.reader = reader }

  /// Returns the changes of a turn: the path of each, and the old and the new value. If they are unknown, returns the
  /// reason.
  ///
  /// - Complexity: O(state + turns since the last snapshot before the turn).
  func texts(of turn: LoggedTurn) throws(LogError) -> [(path: String, change: String)] {
    guard !turn.delta.isEmpty else { return [] }
    guard let snapshot = try reader.snapshot(upTo: turn.position - 1) else {
      return [("changes", "unknown, because the states before are not in the journal any more")]
    }
    guard turn.position - snapshot.position <= Self.turnLimit else { return [unknown("far from a saved state", turn)] }
    let schema = snapshot.schema
    let schemas = try reader.schemas()
    guard schemas.last(where: { $0.firstPosition <= turn.position })?.schema == schema else {
      return [unknown("the feature has changed since the last saved state", turn)]
    }
    do {
      let values = SchemaValues(schema)
      var decoder = CBORDecoder(snapshot.bytes.span.bytes)
      var state = try values.value(of: schema.state, from: &decoder)
      var next = snapshot.position + 1
      while next < turn.position {
        let turns = try reader.read(from: next, byteLimit: 1 << 20)
        guard !turns.isEmpty else { break }
        for turn in turns.prefix(while: { [last = turn.position] in $0.position < last }) where !turn.delta.isEmpty {
          var change = CBORDecoder(turn.delta.span.bytes)
          state = try values.applying(&change, to: state, of: schema.state)
        }
        next += UInt64(turns.count)
      }
      var change = CBORDecoder(turn.delta.span.bytes)
      let after = try values.applying(&change, to: state, of: schema.state)
      return texts(values.differences(from: state, to: after, as: schema.state), schema)
    } catch let error as LogError {
      throw error
    } catch {
      return [unknown("\(error)", turn)]
    }
  }

  private func unknown(_ reason: String, _ turn: LoggedTurn) -> (String, String) {
    ("changes", "\(reason); storectl diff \(turn.baseRevision) \(turn.revision) shows them")
  }

  private func texts(_ differences: [SchemaValues.Difference], _ schema: Schema) -> [(path: String, change: String)] {
    func text(_ value: CBORValue, _ type: SchemaType) -> String {
      let text = "\(SchemaJSON(schema).json(of: value, as: type))"
      return text.count > Self.valueLimit ? text.prefix(Self.valueLimit) + "…" : text
    }
    var texts = differences.prefix(Self.changeLimit).map { difference -> (String, String) in
      let path = difference.path.hasPrefix(".") ? String(difference.path.dropFirst()) : difference.path
      let change =
        switch (difference.old, difference.new) {
        case (let old?, let new?): "\(text(old, difference.type)) → \(text(new, difference.type))"
        case (nil, let new?): "added: \(text(new, difference.type))"
        case (let old?, nil): "removed: \(text(old, difference.type))"
        case (nil, nil): "moved"
        }
      return (path.isEmpty ? "the state" : path, change)
    }
    let rest = differences.count - texts.count
    if rest > 0 { texts.append(("", "and \(rest) more")) }
    return texts
  }
}
