import IdentifiedCollections
import Wire

/// The attached clients: the hub's own state, as a source to publish.
final class Attendance: StateSource {
  private var state = HubState()
  private(set) var revision: UInt64
  private var lastID: UInt64 = 0

  /// Creates an empty list at a revision.
  init(revision: UInt64) { self.revision = revision }

  /// The number of attached clients.
  var count: Int { state.attendees.count }

  func currentVersion() -> StateVersion { TypedVersion(state) }

  /// Adds a client and returns its attendee number.
  func add(_ peer: Peer, name: String) -> UInt64 {
    lastID += 1
    state.attendees.append(Attendee(id: lastID, name: name, process: peer.process, user: peer.user))
    revision += 1
    return lastID
  }

  /// Removes a client.
  func remove(_ id: UInt64) {
    state.attendees.remove(id: id)
    revision += 1
  }
}
