/// The running work of one store that several sends share, with those that hold it.
///
/// Shared work has a cascade of its own, so that it does not end with the send that began it.
struct SharedWork<Name: Hashable> {
  private struct Entry {
    let name: Name
    /// The cascades that hold it; 0 for a send that cannot let go.
    var holders: Set<UInt64> = []
  }

  private var entries: [UInt64: Entry] = [:]
  private var workByName: [Name: UInt64] = [:]
  private var workByHolder: [UInt64: Set<UInt64>] = [:]

  /// Distinguishes the cascades of shared work from those of sends.
  private static var mark: UInt64 { 1 << 63 }

  /// Returns true for the cascade of shared work.
  static func isShared(_ cascade: UInt64) -> Bool { cascade & mark != 0 }

  /// The cascade of the running work with a name.
  subscript(name: Name) -> UInt64? { workByName[name] }

  /// Adds work that begins, and returns its cascade.
  mutating func add(_ name: Name, number: UInt64) -> UInt64 {
    let work = number | Self.mark
    entries[work] = Entry(name: name)
    workByName[name] = work
    return work
  }

  /// The cascades that are to hold running work that a cascade starts.
  ///
  /// Work that held itself, also through other work, would never end. Instead, the sends hold it that hold the work
  /// which starts it.
  func holders(of work: UInt64, startedBy cascade: UInt64) -> [UInt64] {
    guard Self.isShared(cascade) else { return [cascade] }
    guard cascade != work else { return [] }
    var (all, unvisited): (Set<UInt64>, [UInt64]) = ([], [cascade])
    while let next = unvisited.popLast() {
      for holder in entries[next]?.holders ?? [] where all.insert(holder).inserted { unvisited.append(holder) }
    }
    return all.contains(work) ? all.filter { !Self.isShared($0) }.sorted() : [cascade]
  }

  /// Lets a cascade hold work. Returns true if it did not hold it before, and can let it go.
  mutating func hold(_ work: UInt64, by cascade: UInt64) -> Bool {
    guard entries[work]?.holders.insert(cascade).inserted == true, cascade != 0 else { return false }
    workByHolder[cascade, default: []].insert(work)
    return true
  }

  /// Returns true if a cascade holds any work.
  func isHeld(by cascade: UInt64) -> Bool { workByHolder[cascade] != nil }

  /// Lets go of all that a cascade holds.
  ///
  /// - Returns: The work, in the order in which it began, and true for that which nobody holds any more.
  mutating func letGo(_ cascade: UInt64) -> [(work: UInt64, isLast: Bool)] {
    guard let held = workByHolder.removeValue(forKey: cascade) else { return [] }
    return held.sorted().map { work in
      entries[work]?.holders.remove(cascade)
      return (work, entries[work]?.holders.isEmpty == true)
    }
  }

  /// Removes work that has ended, and returns the cascades that have held it.
  mutating func remove(_ work: UInt64) -> [UInt64] {
    guard let entry = entries.removeValue(forKey: work) else { return [] }
    workByName[entry.name] = nil
    let holders = entry.holders.subtracting([0]).sorted()
    for holder in holders { workByHolder.remove(work, at: holder) }
    return holders
  }
}
