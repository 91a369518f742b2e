/// Types of a feature in a file of their own, without an import.
extension Kennel {
  enum Feeding { case now, later }

  struct Unrelated {
    var count = 0
  }
}

#if os(Linux)
  extension Kennel.Feeding: CustomStringConvertible {
    var description: String { self == .now ? "now" : "later" }
  }
#endif
