internal import Glibc

/// Identifies a file by its inode, whatever its path.
public nonisolated struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// The file at a path, without following links; nil if there is none.
  public init?(path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
