package import ReplicaCore
package import Wire

/// The input of the screens: the shared state, and the state of the connection.
package nonisolated struct ScreenContent {
  /// The parts of the hub's state, or nil before the hub has sent them.
  package var parts: SharedParts?
  /// True once the hub has sent the parts that are attached from the start.
  package var hasParts = false
  /// The attached clients; nil if they are unknown, in which case there is no tab for them.
  package var attendees: [Attendee]?
  /// The state of the connection to the hub.
  package var connection: ConnectionState
  /// The reason with which the hub has ended the connection; nil if the connection was lost without one.
  package var goodbye: String?
  /// The hub's socket.
  package var path: String
  /// The current time on the clock of `connection`.
  package var now: Duration
  /// The current wall-clock time, in milliseconds since 1970.
  package var wallTime: Int64 = 0
  /// The process of this terminal; nil if it is unknown.
  package var ownProcess: Int32?
  /// The logged actions that match the filter of their screen, oldest first; nil if they are unknown, in which case there
  /// is no tab for them.
  package var activity: [Activity]?
  /// The number of actions among which the filter has found them; 0 if it is unknown.
  package var examinedActivityCount = 0
  /// True if older actions are still being read.
  package var isLoadingActivity = false
  /// The tabs whose part of the state has not arrived yet.
  package var loading: Set<Screens.Tab> = []
  /// The number of bytes received of states that are being loaded.
  package var loadedByteCount = 0

  /// Creates the content.
  package init(
    parts: SharedParts? = nil, attendees: [Attendee]? = nil, connection: ConnectionState, path: String, now: Duration
  ) {
    (self.parts, self.attendees, self.connection) = (parts, attendees, connection)
    (self.path, self.now) = (path, now)
  }
}
