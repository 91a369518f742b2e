/// From a hub of a cluster: whether its state is that of the cluster's log.
///
/// Sent after the welcome and after each change, but not by a hub whose state has been current since the welcome.
public struct HubStanding: Message, Equatable {
  public static var kind: FrameKind { .standing }

  /// The milliseconds for which the state may have been stale, and for which actions have waited; nil if the state is
  /// current.
  public var staleMilliseconds: UInt64?

  /// Creates a message.
  public init(staleMilliseconds: UInt64?) { self.staleMilliseconds = staleMilliseconds }

  /// Writes the number, or null.
  public func encode(to encoder: inout CBOREncoder) {
    if let staleMilliseconds { encoder.unsigned(staleMilliseconds) } else { encoder.null() }
  }

  /// Reads the number, or null.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    staleMilliseconds = try decoder.null() ? nil : try decoder.unsigned()
  }
}
