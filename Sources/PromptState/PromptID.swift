internal import Synchronization

/// Tells one prompt or button from every other of this process, however alike they are.
public struct PromptID: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// Creates an identifier that no other prompt has.
  public init() {
    number = Self.last.add(1, ordering: .relaxed).newValue
  }
}
