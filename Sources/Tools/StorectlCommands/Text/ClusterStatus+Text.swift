internal import JSONText
internal import Wire

extension ClusterStatus {
  /// The status in one line: the role, since when the state may be stale, and the links.
  var text: String {
    let stale = staleSince > 0 ? "; the state may be stale since \(Moment.short(staleSince))" : ""
    let links = linkedNodes.isEmpty ? "no links" : "linked with \(linkedNodes.joined(separator: ", "))"
    let clocks = clockSummary.map { "; the clock of \($0)" } ?? ""
    return ValueText.safe("\(summary)\(stale); \(links)\(clocks)")
  }

  /// The status by its parts.
  var rows: [(String, String)] {
    var rows = [
      ("node", node), ("leader", leader.isEmpty ? "none" : leads ? "\(leader), this node" : leader),
      ("term", "\(term)"), ("condition", condition),
    ]
    if level > 0 { rows.append(("follows", "\(upstream.isEmpty ? "none" : upstream), on level \(level)")) }
    if staleSince > 0 { rows.append(("stale", "since \(Moment.short(staleSince))")) }
    rows += [
      ("entry", lag == 0 ? "\(position)" : "\(position), \(lag) behind the leader"),
      ("links", linkedNodes.isEmpty ? "none" : linkedNodes.joined(separator: ", ")),
    ]
    if !removedNodes.isEmpty { rows.append(("removed", removedNodes.joined(separator: ", "))) }
    if let clocks = clockSummary { rows.append(("clock", "that of \(clocks)")) }
    rows += [
      ("held", Figures.bytes(heldBytes) + " of actions that wait"),
      ("takeovers", "\(takeovers) by this process"),
    ]
    if snapshotsGiven + snapshotsTaken > 0 {
      rows.append(("snapshots", "\(snapshotsGiven) given, \(snapshotsTaken) taken by this process"))
    }
    return rows.map { ($0, ValueText.safe($1)) }
  }

  var json: JSONValue {
    func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }
    return [
      "node": .string(node), "leader": leader.isEmpty ? .null : .string(leader), "term": number(term),
      "condition": .string(condition),
      "staleSince": staleSince > 0 ? .string(Moment.json(staleSince)) : .null,
      "position": number(position), "lag": number(lag), "heldBytes": number(heldBytes), "takeovers": number(takeovers),
      "linkedNodes": .array(linkedNodes.map { .string($0) }),
      "removedNodes": .array(removedNodes.map { .string($0) }),
      "clockDifferences": .object(
        clockDifferences.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .integer($0.value)) }),
      "snapshotsGiven": number(snapshotsGiven), "snapshotsTaken": number(snapshotsTaken),
      "upstream": upstream.isEmpty ? .null : .string(upstream), "level": number(level),
    ]
  }
}
