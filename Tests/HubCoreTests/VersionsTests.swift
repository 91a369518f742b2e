import Testing

@testable import HubCore

/// The versions of a state that a publisher keeps.
@Suite struct VersionsTests {
  /// Otherwise a hub whose subscribers come and go keeps no versions any more.
  @Test func theMemoryOfRemovedVersionsIsReturned() {
    var versions = Versions(countLimit: 100, byteLimit: 1000)
    var revision: UInt64 = 0
    func append(_ versions: inout Versions) {
      revision += 1
      versions.append(TypedVersion(revision), at: revision, byteCount: 100, stateByteCount: 10_000)
    }
    for _ in 0..<100 {
      append(&versions)
      let held = revision
      versions.hold(held)
      append(&versions)
      // Its last subscriber leaves, and a detached session keeps the version before.
      versions.removeUnheld()
      append(&versions)
      versions.release(held)
      versions.removeUnheld()
    }
    for _ in 0..<5 { append(&versions) }
    #expect(versions.count == 5)
  }
}
