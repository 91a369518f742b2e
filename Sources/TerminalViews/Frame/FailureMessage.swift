/// The message with which a terminal ends because it could not attach to its hub.
///
/// - Parameters:
///   - failure: The reason, as a clause or as sentences.
///   - hasReachedHub: Whether a hub answered; if not, waiting for one may help.
public nonisolated func failureMessage(_ failure: String, hasReachedHub: Bool) -> String {
  let ends = failure.last.map { ".?!".contains($0) } ?? true
  return failure + (ends ? "" : ".") + (hasReachedHub ? "" : " Use --wait to wait for a hub.")
}
