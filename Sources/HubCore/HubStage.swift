/// The stages of a hub's life, each with only the data that exists in it.
enum HubStage {
  /// Until the first turn, the hub takes over the connections of the previous process. Their sessions count as detached.
  case takingOver
  case serving
  /// The hub ends its connections, or has. The reason of a *goodbye* that waits until the log has stored everything; nil
  /// once it was said.
  case stopping(goodbye: String?)
}
