internal import Synchronization

/// Identifies a prompt or button within this process, regardless of its contents.
public struct PromptID: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// Creates a unique identifier.
  public init() {
    number = Self.last.add(1, ordering: .relaxed).newValue
  }
}
