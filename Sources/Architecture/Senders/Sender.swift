/// The sender of an action, which a reducer reads as `@Dependency(\.sender)`.
///
/// ```swift
/// @Dependency(\.sender) var sender
///
/// case .approved(let id):
///   guard let user = sender.user else { return .none }
///   state.jobs[id: id]?.approvedBy = user.name
/// ```
///
/// An action that a reducer sends at once, with `Effect.send`, has the sender of the action that it follows.
public enum Sender: Hashable, Sendable {
  /// A client of the hub.
  case client(HubClient)
  /// The hub's own program: a reaction to a `HubEvent`, an action of `FeatureEngine.send`, or the restart of an effect.
  case hub
  /// An effect, whoever has caused it: it may have begun before a restart of the hub. An effect whose actions depend on
  /// its cause puts that into them.
  case effect
  /// The program itself, in a store of one process.
  case local(SystemUser)

  /// The client; nil for all other senders.
  public var client: HubClient? { if case .client(let client) = self { client } else { nil } }

  /// The user of the sender's process; nil for the hub and for effects.
  public var user: SystemUser? {
    switch self {
    case .client(let client): client.user
    case .local(let user): user
    case .hub, .effect: nil
    }
  }
}

extension Sender: CustomStringConvertible {
  /// The sender for people: a user and a program, `the hub`, or `an effect`.
  public var description: String {
    switch self {
    case .client(let client): client.description
    case .hub: "the hub"
    case .effect: "an effect"
    case .local(let user): user.description
    }
  }
}
