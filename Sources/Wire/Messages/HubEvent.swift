/// An event in the life of a hub, to which a feature may react with actions.
public enum HubEvent: Equatable, Sendable {
  /// The hub has started, after recovery if it has a log. Timers and streams begin here; no client is attached yet.
  case started
  /// A client has opened or resumed its session.
  case attached(HubClient)
  /// A client's connection has ended while the hub continues.
  case detached(HubClient)
}

/// A feature's view of a client.
public struct HubClient: Equatable, Sendable {
  /// The name that the client chose freely.
  public let name: String
  /// The user of its process, according to the kernel.
  public let user: UInt32

  /// Creates a client.
  public init(name: String, user: UInt32) {
    (self.name, self.user) = (name, user)
  }
}
