import IdentifiedCollections
import Wire

extension HubCore {
  /// Notes that somebody has come.
  mutating func addAttendee(_ slot: Int, name: String) {
    let peer = connections[slot].peer
    lastAttendee += 1
    connections[slot].attendee = lastAttendee
    hubState.attendees.append(Attendee(id: lastAttendee, name: name, process: peer.process, user: peer.user))
    hubRevision += 1
  }

  /// Notes that somebody has gone, if it was not noted before.
  mutating func removeAttendee(_ slot: Int) {
    guard let attendee = connections[slot].attendee else { return }
    connections[slot].attendee = nil
    hubState.attendees.remove(id: attendee)
    hubRevision += 1
  }
}
