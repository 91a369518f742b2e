/// The message with which a terminal ends because it could not attach to its hub.
///
/// - Parameters:
///   - failure: The reason, as a clause or as sentences.
///   - isHubMissing: Whether no hub is there, so that waiting for one may help.
package nonisolated func failureMessage(_ failure: String, isHubMissing: Bool) -> String {
  let ends = failure.last.map { ".?!".contains($0) } ?? true
  return failure + (ends ? "" : ".") + (isHubMissing ? " Use --wait to wait for a hub." : "")
}
