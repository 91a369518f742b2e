internal import SchemaNames
import Wire

// The list of clients names the parts that each has attached. Only its subscribers cost anything: while there are
// none, a change of a client's scopes is only marked.

extension HubCore {
  /// The time at which to call `endTurn` to publish the list of clients; nil if it is up to date.
  package var clientsDue: Duration? { attendance.isOutdated ? attendance.nextUpdate : nil }

  /// Records that a client's scopes, or the bytes held for it, have changed.
  mutating func noteDescription(of connection: LiveConnection) {
    connection.isDescribed = false
    if publishers[StateRoot.hub.index].hasSubscribers { attendance.isOutdated = true }
  }

  /// Publishes the changes of the list of clients, at most once a second, so that a client that attaches and detaches
  /// in a loop does not occupy the subscribers.
  ///
  /// - Complexity: O(connections + names of the changed ones).
  mutating func updateClients(at now: Duration, flushing: Bool) {
    guard publishers[StateRoot.hub.index].hasSubscribers else { return attendance.isOutdated = false }
    guard now >= attendance.nextUpdate || flushing else { return }
    for index in connections.indices {
      if case .live(let connection) = connections[index], !connection.isDescribed { updateAttendee(of: connection) }
    }
    (attendance.isOutdated, attendance.nextUpdate) = (false, now + .seconds(1))
  }

  private mutating func updateAttendee(of connection: LiveConnection) {
    connection.isDescribed = true
    let parts = connection.scopes.prefix(Attendee.partLimit).map { scope in
      let place = publishers[scope.publisher].place(of: scope.subscriber)
      return AttachedPart(root: place.root.rawValue, path: displayName(of: place.path, of: place.root))
    }
    attendance.update(
      connection.attendee, parts: parts, scopes: connection.scopes.count, heldBytes: connection.heldBytes)
  }

  /// Returns a path as users write it, cut for display.
  func displayName(of path: [PathStep], of root: StateRoot) -> String {
    Self.shortened((try? schemas[root.index].name(of: path)) ?? "?")
  }

  /// Returns a path for display, of at most 256 characters.
  package static func shortened(_ path: String) -> String {
    guard path.unicodeScalars.count > 256 else { return path }
    return String(String.UnicodeScalarView(path.unicodeScalars.prefix(255))) + "…"
  }
}
