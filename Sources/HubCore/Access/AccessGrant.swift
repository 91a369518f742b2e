public import Wire

/// The rights of a user or a group on a hub.
public struct AccessGrant: Hashable, Sendable {
  /// The paths of the parts of the state that may be attached; the empty path is the whole state.
  public var read: [[PathStep]]
  /// The case paths of the actions that may be sent (`Schema.actionPath(named:)`); the empty path is all actions.
  public var act: [[PathStep]]
  /// True if the hub's own state (its clients and metrics) may be attached even without reading the whole state.
  public var isAdmin: Bool

  /// Creates a grant. Without arguments it permits a connection and nothing else.
  public init(read: [[PathStep]] = [], act: [[PathStep]] = [], isAdmin: Bool = false) {
    (self.read, self.act, self.isAdmin) = (read, act, isAdmin)
  }

  /// The rights to read the whole state, and with it the hub's own state, and to send all actions.
  public static let readAndAct = AccessGrant(read: [[]], act: [[]])
  /// All rights.
  public static let everything = AccessGrant(read: [[]], act: [[]], isAdmin: true)

  /// Adds the rights of another grant.
  public mutating func add(_ other: AccessGrant) {
    read += other.read
    act += other.act
    isAdmin = isAdmin || other.isAdmin
  }
}
