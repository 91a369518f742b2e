internal import ComposableCore
internal import ProgramOptions
internal import SchemaNames
internal import TerminalUI
internal import Wire

/// The clients that are attached to the hub.
struct PresenceView: TerminalView {
  let store: Store<HubState, Never>
  let ownProcess: Int32
  @ViewState private var opened: Attendee.ID?

  var body: some TerminalView {
    let (attendees, ownProcess) = (store.attendees, ownProcess)
    Column {
      ListHeading(summary: "\(attendees.count) attached")
      Table(attendees) {
        TableColumn("Program") { $0.name.isEmpty ? "?" : $0.name }
        TableColumn("Process") { $0.processOrNode }
        TableColumn("User") { "user \($0.nameOfUser)\($0.process == ownProcess ? ", you" : "")" }
      }
      .hidesHeader()
      .rowStyle { $0.process == ownProcess ? Style(.cyan, bold: true) : .plain }
      .rowKey("enter", "details", help: "all about a client") { opened = $0 }
      .searchable()
    }
    .details(opened.flatMap { attendees[id: $0] }?.details) { opened = nil }
  }
}

extension Attendee {
  fileprivate var nameOfUser: String { userName(user) ?? "\(user)" }

  /// The process; or its node, if this machine does not know it.
  fileprivate var processOrNode: String {
    guard process == 0 else { return "process \(process)" }
    return node.isEmpty ? "process unknown" : "on node \(node)"
  }

  /// All that is known about a client.
  fileprivate var details: Details {
    var pairs: [(name: String, text: String)] = [
      ("name", name.isEmpty ? "?" : name), ("process", processText), ("user", "\(nameOfUser) (\(user))"),
      ("since", since > 0 ? LocalTime(milliseconds: Int64(clamping: since)).full : "unknown"),
      ("held", "\(heldBytes) bytes that it has not read, or the hub has not handled"),
    ]
    if !node.isEmpty { pairs.insert(("node", node), at: 1) }
    for (index, part) in parts.enumerated() { pairs.append((index == 0 ? "attached" : "", part.place)) }
    if scopes == 0 { pairs.append(("attached", "nothing")) }
    let rest = scopes - min(scopes, UInt64(parts.count))
    if rest > 0 { pairs.append(("", "and \(rest) more")) }
    return Details("Client", pairs)
  }
}

extension AttachedPart {
  fileprivate var place: String {
    switch StateRoot(rawValue: root) {
    case .feature: path.isEmpty ? "the whole state" : path
    case .hub: "the list of clients"
    case .metrics: "the metrics"
    case .views: "view:\(path)"
    default: "something that this version does not know"
    }
  }
}
