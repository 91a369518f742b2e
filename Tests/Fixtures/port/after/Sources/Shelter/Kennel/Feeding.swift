import ReplicatedArchitecture

/// Types of a feature in a file of their own, without an import.
extension Kennel {
  @Replicated
  public enum Feeding: Sendable { case now, later }

  struct Unrelated {
    var count = 0
  }
}

#if os(Linux)
  extension Kennel.Feeding: CustomStringConvertible {
    public var description: String { self == .now ? "now" : "later" }
  }
#endif
