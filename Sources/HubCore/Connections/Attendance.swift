import IdentifiedCollections
import Wire

/// The attached clients: the hub's own state, as a source to publish.
final class Attendance: StateSource {
  private var state = HubState()
  private(set) var revision: UInt64
  private var lastID: UInt64 = 0
  /// True if the list lacks scopes of a client, or bytes that are held for it. Without the exclusivity check: each turn
  /// reads it, and only the core uses it.
  @exclusivity(unchecked) var isOutdated = false
  /// The earliest time at which to update the list with these.
  var nextUpdate = Duration.zero
  /// The name of this hub's node; empty without a cluster.
  var node = ""

  /// Creates an empty list at a revision.
  init(revision: UInt64) { self.revision = revision }

  /// The number of attached clients.
  var count: Int { state.attendees.count }

  func currentVersion() -> StateVersion { TypedVersion(state) }

  /// Adds a client and returns its attendee number.
  ///
  /// - Parameter since: The time of the connection, in milliseconds since 1970.
  func add(_ peer: Peer, name: String, since: Int64) -> UInt64 {
    lastID += 1
    var attendee = Attendee(
      id: lastID, name: name, process: peer.process, user: peer.user, since: UInt64(max(since, 0)))
    attendee.node = peer.node.isEmpty ? node : peer.node
    state.attendees.append(attendee)
    revision += 1
    return lastID
  }

  /// Records what a client has attached and what is held for it.
  func update(_ id: UInt64, parts: [AttachedPart], scopes: Int, heldBytes: Int) {
    guard var attendee = state.attendees[id: id] else { return }
    (attendee.parts, attendee.scopes, attendee.heldBytes) = (parts, UInt64(scopes), UInt64(max(heldBytes, 0)))
    guard attendee != state.attendees[id: id] else { return }
    state.attendees[id: id] = attendee
    revision += 1
  }

  /// Removes a client.
  func remove(_ id: UInt64) {
    state.attendees.remove(id: id)
    revision += 1
  }
}
