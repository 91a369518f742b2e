/// The last stored version of the feature's state, which clients may see while later turns are not stored yet.
final class StoredState: StateSource {
  private(set) var revision: UInt64
  private var version: StateVersion

  init(_ version: StateVersion, at revision: UInt64) {
    (self.version, self.revision) = (version, revision)
  }

  func currentVersion() -> StateVersion { version }

  /// Advances to a later version.
  func advance(to version: StateVersion, at revision: UInt64) {
    precondition(revision >= self.revision, "turns are stored in order")
    (self.version, self.revision) = (version, revision)
  }
}
