internal import CSQLite

/// The device and the inode of a file, which is another file after a replacement.
///
/// It may be asked for after each commit: it leaves out the file's times, which would make the next sync slower.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Returns nil if there is no file.
  package init?(_ path: String) {
    var (device, inode): (UInt64, UInt64) = (0, 0)
    // `withCString`, because an argument that is a string is copied.
    guard path.withCString({ csqlite_identify($0, &device, &inode) }) else { return nil }
    (self.device, self.inode) = (device, inode)
  }
}
