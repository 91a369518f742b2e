/// Versions of a state. Subscribers are brought up to date with the newest.
///
/// A state is a value, so keeping a version costs only the memory of later changes. Versions that a subscriber or a
/// detached session still has are *held*. Beyond a limit of count or memory, the oldest version without holders is
/// dropped first, then the oldest. A client with a dropped version gets a snapshot.
struct Versions {
  private struct Version {
    let revision: UInt64
    let state: StateVersion
    var holders = 0
    /// An estimate of the memory that this version does not share with the next kept one; 0 for the newest.
    var byteCount = 0
  }

  /// In ascending order of revision.
  private var versions: [Version] = []
  private var byteCount = 0
  private var stateByteCount = Int.max
  private let countLimit: Int
  private let byteLimit: Int

  init(countLimit: Int, byteLimit: Int) {
    precondition(countLimit > 0, "the newest version is always kept")
    (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
  }

  var count: Int { versions.count }

  /// True if a version is held.
  var hasHolders: Bool { versions.contains { $0.holders > 0 } }

  /// The state at a revision, if it is kept.
  subscript(revision: UInt64) -> StateVersion? { index(of: revision).map { versions[$0].state } }

  /// The newest version's state.
  var newest: StateVersion? { versions.last?.state }

  /// Adds a version newer than all others; the previous one then needs `byteCount` bytes of its own.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - revision: Its revision.
  ///   - byteCount: The memory that the previous version does not share with this one.
  ///   - stateByteCount: An upper bound of the memory of one whole version.
  mutating func append(_ state: StateVersion, at revision: UInt64, byteCount: Int, stateByteCount: Int) {
    self.stateByteCount = stateByteCount
    if let last = versions.indices.last {
      precondition(versions[last].revision < revision, "versions are kept in order")
      // The last one may have a cost already, if a newer version was removed.
      self.byteCount += byteCount - versions[last].byteCount
      versions[last].byteCount = byteCount
    }
    versions.append(Version(revision: revision, state: state))
    while versions.count > 1, versions.count > countLimit || self.byteCount > byteLimit {
      remove(at: versions.dropLast().firstIndex { $0.holders == 0 } ?? 0)
    }
  }

  private mutating func remove(at index: Int) {
    let removed = versions.remove(at: index)
    byteCount -= removed.byteCount
    guard index > 0 else { return }
    // The version before keeps what both of them had, and pays for it now, up to the size of a whole state.
    let previous = versions[index - 1].byteCount
    versions[index - 1].byteCount = max(previous, min(previous + removed.byteCount, stateByteCount))
    byteCount += versions[index - 1].byteCount - previous
  }

  /// Drops all versions without holders, including the newest.
  mutating func removeUnheld() {
    for index in versions.indices.reversed() where versions[index].holders == 0 { remove(at: index) }
  }

  /// Removes all versions, as if they were too many.
  mutating func removeAll() { (versions, byteCount) = ([], 0) }

  /// Adds a holder to a version; returns false if it is not kept.
  @discardableResult
  mutating func hold(_ revision: UInt64) -> Bool {
    guard let index = index(of: revision) else { return false }
    versions[index].holders += 1
    return true
  }

  /// Removes a holder; no effect for a version that was dropped because of a limit.
  mutating func release(_ revision: UInt64) {
    guard let index = index(of: revision) else { return }
    versions[index].holders -= 1
  }

  /// Most clients lag for a short time only, so the search begins at the newest.
  private func index(of revision: UInt64) -> Int? {
    versions.lastIndex { $0.revision == revision }
  }
}
