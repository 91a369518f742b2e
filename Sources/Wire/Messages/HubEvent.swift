public import Senders

/// An event in the life of a hub, to which a feature may react with actions.
public enum HubEvent: Equatable, Sendable {
  /// The hub has started, after recovery if it has a log. Timers and streams begin here; no client is attached yet.
  case started
  /// A client has opened or resumed its session. `HubClient.connection` tells it from all others.
  case attached(HubClient)
  /// A client's connection has ended while the hub continues. The value is that with which it was attached.
  case detached(HubClient)
}
