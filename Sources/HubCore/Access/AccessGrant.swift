public import Wire

/// What a user or a group is granted of a hub.
public struct AccessGrant: Hashable, Sendable {
  /// The parts of the state that may be attached, by their paths; an empty path is the whole state.
  public var read: [[PathStep]]
  /// The actions that may be sent, by the cases that lead to them (`Schema.actionPath(named:)`); an empty path is all.
  public var act: [[PathStep]]
  /// Whether the hub's own state may be attached: its clients and its figures.
  public var isAdmin: Bool

  /// Creates a grant; without arguments it grants a connection and nothing else.
  public init(read: [[PathStep]] = [], act: [[PathStep]] = [], isAdmin: Bool = false) {
    (self.read, self.act, self.isAdmin) = (read, act, isAdmin)
  }

  /// The whole state and all actions, without the hub's own state.
  public static let readAndAct = AccessGrant(read: [[]], act: [[]])
  /// Everything.
  public static let everything = AccessGrant(read: [[]], act: [[]], isAdmin: true)

  /// Adds what another grant allows.
  public mutating func add(_ other: AccessGrant) {
    read += other.read
    act += other.act
    isAdmin = isAdmin || other.isAdmin
  }
}
