import Wire

/// The directory of a hub's journal, and who may read it. A hub tells its place only to them.
package struct JournalPlace: Equatable, Sendable {
  /// The absolute path of the directory.
  package let path: String
  /// The owner of the files.
  package let user: UInt32
  /// The group that may read the files; nil if none may.
  package let group: UInt32?

  /// Creates a place; nil for a path that is too long to be told.
  package init?(path: String, user: UInt32, group: UInt32?) {
    guard path.utf8.count <= Welcome.pathLimit else { return nil }
    (self.path, self.user, self.group) = (path, user, group)
  }

  /// Returns true if a peer may read the files, by the identity that the kernel reports.
  package func isReadable(by peer: Peer) -> Bool {
    guard peer.gateway == nil else { return false }
    return peer.uid == 0 || peer.uid == user || group.map { $0 == peer.group || peer.groups.contains($0) } == true
  }
}
