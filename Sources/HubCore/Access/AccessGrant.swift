public import Wire

/// The rights of a user or a group on a hub.
public struct AccessGrant: Hashable, Sendable {
  /// The paths of the parts of the state that may be attached; the empty path is the whole state.
  public var read: [[PathStep]]
  /// The paths of the views that may be attached (`StateRoot.views`). Who may read the whole state may attach all views,
  /// and everyone only those values of a view for users that are its own.
  public var views: [[PathStep]]
  /// The case paths of the actions that may be sent (`Schema.actionPath(named:)`); the empty path is all actions.
  public var act: [[PathStep]]
  /// The case paths of shared models, or of their fields, whose changes may be sent (`Schema.writablePath(named:)`); the
  /// empty path is all fields of all shared models.
  public var write: [[PathStep]]
  /// True for an operator, who may attach the hub's own state (its clients and metrics) even without reading the whole
  /// state of the feature, and who can connect to a full hub if the grant is its user's own
  /// (`HubLimits.connectionsForAdmins`). It includes none of `read`, `act` and `write`.
  public var isAdmin: Bool

  /// Creates a grant. Without arguments it permits a connection and nothing else.
  public init(
    read: [[PathStep]] = [], views: [[PathStep]] = [], act: [[PathStep]] = [], write: [[PathStep]] = [],
    isAdmin: Bool = false
  ) {
    (self.read, self.views, self.act, self.write, self.isAdmin) = (read, views, act, write, isAdmin)
  }

  /// The rights to read the whole state, and with it the hub's own state, and to send all actions.
  public static let readAndAct = AccessGrant(read: [[]], act: [[]])
  /// The rights of `readAndAct` and those of an operator.
  public static let everything = AccessGrant(read: [[]], act: [[]], isAdmin: true)

  /// Adds the rights of another grant.
  public mutating func add(_ other: AccessGrant) {
    read += other.read
    views += other.views
    act += other.act
    write += other.write
    isAdmin = isAdmin || other.isAdmin
  }
}
