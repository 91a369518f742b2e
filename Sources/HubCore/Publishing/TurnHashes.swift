import Wire

/// The hashes of places that a turn has computed, so that all subscribers of a place share one.
///
/// - Complexity: O(1) for each search and each addition.
struct TurnHashes<Place: Hashable> {
  /// The version of the state in which the places were hashed.
  private var revision: UInt64 = 0
  private var hashes: [Place: StateHash] = [:]

  /// Returns the hash of a place in the version of a revision; nil if it was not computed in this turn.
  func hash(of place: Place, at revision: UInt64) -> StateHash? {
    revision == self.revision ? hashes[place] : nil
  }

  /// Adds the hash of a place. Those of another version are then no longer needed.
  mutating func add(_ hash: StateHash, of place: Place, at revision: UInt64) {
    if revision != self.revision { removeAll() }
    self.revision = revision
    hashes[place] = hash
  }

  /// Removes all hashes and their memory, of which one turn may have needed far more than others.
  mutating func removeAll() {
    if !hashes.isEmpty { hashes = [:] }
  }
}
