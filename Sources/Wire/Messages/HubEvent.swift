/// An event in the life of a hub to which a feature may react with actions.
public enum HubEvent: Equatable, Sendable {
  /// The hub has started, after a recovery if it has a log: timers and streams begin here, and nobody is attached.
  case started
  /// A client has opened or resumed its session.
  case attached(HubClient)
  /// A client's connection has ended, while the hub goes on.
  case detached(HubClient)
}

/// A client as a feature sees it.
public struct HubClient: Equatable, Sendable {
  /// The name by which it introduced itself; it chooses it freely.
  public let name: String
  /// The user of its process, from the kernel.
  public let user: UInt32

  /// Creates a client.
  public init(name: String, user: UInt32) {
    (self.name, self.user) = (name, user)
  }
}
