/// The time at which a hub releases the outputs of a turn: acknowledgements, deltas, and the start of effects.
public enum Durability: String, Equatable, Sendable {
  /// When the log has stored the turn. Nothing that was ever visible is lost.
  case sync
  /// Immediately. Turns that the log has not stored yet may be lost if the machine loses power or the hub's process
  /// dies.
  case async
}
