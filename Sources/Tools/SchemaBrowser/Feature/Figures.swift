package import Wire

/// What is known of the hub itself.
package struct HubFigures: Equatable, Sendable {
  /// The attached clients; nil if this user may not see them.
  package var attendees: [Attendee]?
  /// The actions per second by the numbers of the clients.
  package var rates: [UInt64: Double] = [:]
  package var metrics: HubMetrics?
  /// The process of this terminal, whose line is marked.
  package var ownProcess: Int32 = 0
  /// The hub's socket.
  package var socket = ""
  /// The hub's revision, as far as this client knows it.
  package var revision: UInt64 = 0
  /// Names of users by their numbers.
  package var users: [UInt32: String] = [:]

  package init() {}
}

/// A logged action, as a line.
package struct ActivityLine: Equatable, Sendable, Identifiable {
  package let id: String
  package let time: String
  package let who: String
  package let what: String
  package let revision: UInt64

  package init(id: String, time: String, who: String, what: String, revision: UInt64) {
    (self.id, self.time, self.who, self.what, self.revision) = (id, time, who, what, revision)
  }
}
