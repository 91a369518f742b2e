internal import JSONText
internal import Wire

/// The changes of the state while the page is open, for hubs without a readable journal.
final class InspectorChanges {
  private(set) var entries: [(number: Int, json: JSONValue)] = []
  private var last: (value: CBORValue, revision: UInt64, schema: Schema)?
  private var count = 0
  /// The time of the next comparison at the earliest, so that a large state does not occupy the processor.
  private var earliest = Duration.zero
  private static let limit = 300

  /// The number of the last entry.
  var lastNumber: Int { count }

  /// Compares the state with the previous one and records the changes.
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

  /// Forgets the previous state, so that the next one is not compared.
  func forget() { last = nil }

  /// Returns the entries after a number.
  func json(after number: Int) -> JSONValue {
    ["changes": .array(entries.filter { $0.number > number }.map(\.json)), "last": .integer(count)]
  }
}
