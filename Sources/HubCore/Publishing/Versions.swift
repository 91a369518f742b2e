/// Versions of a state; subscribers are brought up to date to the newest.
///
/// A state is a value, so keeping one costs what has changed since. Those that a subscriber or a detached session still
/// has are *held*. Beyond a limit of count or of memory, the oldest that nobody holds is dropped first, then the oldest;
/// a client that had it gets a snapshot.
struct Versions {
  private struct Version {
    let revision: UInt64
    let state: StateVersion
    var holders = 0
    /// An estimate of the memory that this version has and the next one does not share; 0 for the newest.
    var byteCount = 0
  }

  /// In ascending order of revision.
  private var versions: [Version] = []
  private var byteCount = 0
  private let countLimit: Int
  private let byteLimit: Int

  init(countLimit: Int, byteLimit: Int) {
    precondition(countLimit > 0, "the newest version is always kept")
    (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
  }

  var count: Int { versions.count }

  /// The state at a revision, if it is kept.
  subscript(revision: UInt64) -> StateVersion? { index(of: revision).map { versions[$0].state } }

  /// The newest version's state.
  var newest: StateVersion? { versions.last?.state }

  /// Adds a version newer than all others, which makes the one before it need `byteCount` bytes of its own.
  mutating func append(_ state: StateVersion, at revision: UInt64, byteCount: Int) {
    if let last = versions.indices.last {
      precondition(versions[last].revision < revision, "versions are kept in order")
      versions[last].byteCount = byteCount
      self.byteCount += byteCount
    }
    versions.append(Version(revision: revision, state: state))
    while versions.count > 1, versions.count > countLimit || self.byteCount > byteLimit {
      remove(at: versions.dropLast().firstIndex { $0.holders == 0 } ?? 0)
    }
  }

  private mutating func remove(at index: Int) {
    byteCount -= versions[index].byteCount
    versions.remove(at: index)
  }

  /// Drops every version that nobody holds, the newest too.
  mutating func removeUnheld() {
    for index in versions.indices.reversed() where versions[index].holders == 0 { remove(at: index) }
  }

  /// Adds a holder to a kept version; false if it is not kept.
  @discardableResult
  mutating func hold(_ revision: UInt64) -> Bool {
    guard let index = index(of: revision) else { return false }
    versions[index].holders += 1
    return true
  }

  /// Removes a holder; a version that was dropped for a limit has none to remove.
  mutating func release(_ revision: UInt64) {
    guard let index = index(of: revision) else { return }
    versions[index].holders -= 1
  }

  /// Most clients lag for a short time only, so the search begins at the newest.
  private func index(of revision: UInt64) -> Int? {
    versions.lastIndex { $0.revision == revision }
  }
}
