/// Old versions of the state, kept for the connections that have not yet been brought past them.
///
/// A state is a value, so keeping one costs what has changed since. Each version goes with its last holder; past
/// the limit the oldest goes first, and its holders are owed a snapshot.
struct Versions<State> {
  private struct Version {
    let revision: UInt64
    let state: State
    var holders: Int
  }

  /// In ascending order of revision; few, since one exists only while some client is behind.
  private var versions: [Version] = []
  let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { versions.count }

  /// The state at a revision, if it is kept.
  func state(at revision: UInt64) -> State? {
    index(of: revision).map { versions[$0].state }
  }

  /// Keeps a version newer than all others for a number of holders.
  mutating func keep(_ state: State, at revision: UInt64, holders: Int) {
    guard holders > 0 else { return }
    precondition(versions.last.map { $0.revision < revision } ?? true, "versions are kept in order")
    versions.append(Version(revision: revision, state: state, holders: holders))
    if versions.count > limit { versions.removeFirst() }
  }

  /// Adds a holder to a kept version, and says whether there is one.
  mutating func hold(_ revision: UInt64) -> Bool {
    guard let index = index(of: revision) else { return false }
    versions[index].holders += 1
    return true
  }

  /// Takes a holder away; a version that was dropped for the limit has none to take.
  mutating func release(_ revision: UInt64) {
    guard let index = index(of: revision) else { return }
    versions[index].holders -= 1
    if versions[index].holders == 0 { versions.remove(at: index) }
  }

  private func index(of revision: UInt64) -> Int? {
    versions.firstIndex { $0.revision == revision }
  }
}
