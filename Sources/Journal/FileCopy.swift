internal import Glibc
internal import TurnLog

/// Copies of files that survive a loss of power.
enum FileCopy {
  /// Copies a file to a new one, which is removed again if it cannot be completed.
  static func copy(_ path: String, to other: String) throws(LogError) {
    guard let source = try StateDirectory.open(path, O_RDONLY) else { throw .system("open", path, ENOENT) }
    defer { close(source) }
    guard let target = try StateDirectory.create(other) else { throw .system("create", other, EEXIST) }
    defer { close(target) }
    do throws(LogError) { try copy(source, path, to: target, other) } catch {
      unlink(other)
      throw error
    }
  }

  private static func copy(
    _ source: CInt, _ path: String, to target: CInt, _ other: String
  ) throws(LogError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count >= 0 else { throw .system("read", path) }
      if count == 0 { break }
      var written = 0
      while written < count {
        let result = buffer.withUnsafeBytes { write(target, $0.baseAddress?.advanced(by: written), count - written) }
        guard result > 0 else { throw .system("write", other) }
        written += result
      }
    }
    guard fsync(target) == 0 else { throw .system("sync", other) }
  }

  /// Makes the contents of a file survive a loss of power; only its owner can read it.
  static func sync(_ path: String) throws(LogError) {
    guard let file = try StateDirectory.open(path, O_RDWR) else { throw .system("open", path, ENOENT) }
    defer { close(file) }
    guard fchmod(file, 0o600) == 0, fsync(file) == 0 else { throw .system("sync", path) }
  }
}
