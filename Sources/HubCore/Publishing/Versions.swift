/// Versions of a state, the newest of which is the one that followers are brought to.
///
/// A state is a value, so keeping one costs what has changed since. Those that a follower or an absent session still has
/// are *held*. Beyond a limit of count or of memory the oldest that nobody holds goes first, then the oldest; who had it
/// gets a snapshot.
struct Versions<State> {
  private struct Version {
    let revision: UInt64
    let state: State
    var holders = 0
    /// An estimate of the memory that this version has and the next one does not share; 0 for the newest.
    var byteCount = 0
  }

  /// In ascending order of revision.
  private var versions: [Version] = []
  private var byteCount = 0
  let countLimit: Int
  let byteLimit: Int

  init(countLimit: Int, byteLimit: Int) {
    precondition(countLimit > 0, "the newest version is always kept")
    (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
  }

  var count: Int { versions.count }

  /// The state at a revision, if it is kept.
  func state(at revision: UInt64) -> State? {
    index(of: revision).map { versions[$0].state }
  }

  /// The newest version's state.
  var newest: State? { versions.last?.state }

  func contains(_ revision: UInt64) -> Bool { index(of: revision) != nil }

  /// Adds a version newer than all others, which needs `byteCount` bytes of its own beside the one before it.
  mutating func append(_ state: State, at revision: UInt64, byteCount: Int) {
    if let last = versions.indices.last {
      precondition(versions[last].revision < revision, "versions are kept in order")
      versions[last].byteCount = byteCount
      self.byteCount += byteCount
    }
    versions.append(Version(revision: revision, state: state))
    while versions.count > 1, versions.count > countLimit || self.byteCount > byteLimit { dropOne() }
  }

  private mutating func dropOne() {
    remove(at: versions.dropLast().firstIndex { $0.holders == 0 } ?? 0)
  }

  private mutating func remove(at index: Int) {
    byteCount -= versions[index].byteCount
    versions.remove(at: index)
  }

  /// Forgets every version that nobody holds, the newest too.
  mutating func removeUnheld() {
    for index in versions.indices.reversed() where versions[index].holders == 0 { remove(at: index) }
  }

  /// Adds a holder to a kept version, and says whether there is one.
  @discardableResult
  mutating func hold(_ revision: UInt64) -> Bool {
    guard let index = index(of: revision) else { return false }
    versions[index].holders += 1
    return true
  }

  /// Takes a holder away; a version that was dropped for a limit has none to take.
  mutating func release(_ revision: UInt64) {
    guard let index = index(of: revision) else { return }
    versions[index].holders -= 1
  }

  /// Most who ask have been behind for a short time only.
  private func index(of revision: UInt64) -> Int? {
    versions.lastIndex { $0.revision == revision }
  }
}
