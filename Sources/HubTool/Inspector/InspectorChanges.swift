internal import Wire

/// What changed in the state while the page was open, for hubs without a journal that can be read.
final class InspectorChanges {
  private(set) var entries: [(number: Int, json: JSONValue)] = []
  private var last: (value: CBORValue, revision: UInt64, schema: Schema)?
  private var count = 0
  /// Not before this time, so that a large state does not use all of the processor.
  private var earliest = Duration.zero
  private static let limit = 300

  /// The number of the last entry.
  var lastNumber: Int { count }

  /// Compares the state with the one of the last time.
  func take(_ value: CBORValue, _ revision: UInt64, _ schema: Schema, at now: Duration, clock: () -> Duration) {
    guard let before = last, before.schema == schema, before.revision <= revision else {
      return last = (value, revision, schema)
    }
    guard before.revision < revision, now >= earliest else { return }
    let start = clock()
    let changes = InspectorText(schema).changes(from: before.value, to: value, as: schema.state, limit: 100)
    earliest = now + max((clock() - start) * 10, .milliseconds(50))
    last = (value, revision, schema)
    guard changes["count"] != .integer(0) else { return }
    count += 1
    entries.append(
      (
        count,
        [
          "number": .integer(count), "revision": .integer(revision), "from": .integer(before.revision),
          "time": .integer(Moment.now), "changes": changes,
        ]
      ))
    if entries.count > Self.limit { entries.removeFirst() }
  }

  /// Begins anew, with whatever state comes next.
  func forget() { last = nil }

  /// The entries behind a number.
  func json(after number: Int) -> JSONValue {
    ["changes": .array(entries.filter { $0.number > number }.map(\.json)), "last": .integer(count)]
  }
}
