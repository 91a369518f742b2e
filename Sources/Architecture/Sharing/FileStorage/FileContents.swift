internal import FoundationEssentials
internal import Glibc

/// The bytes of a file.
enum FileContents {
  /// Reads the whole file; returns nil if there is none.
  static func read(_ path: String) throws -> Data? {
    let file: Int32
    do throws(FileSystemError) {
      file = try system("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw error
    }
    defer { close(file) }
    var status = stat()
    try system("fstat", path) { fstat(file, &status) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw FileSystemError(operation: "read", path: path, code: EISDIR)
    }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: min(max(Int(status.st_size) + 1, 4096), 1 << 20))
    while true {
      let count = try system("read", path) { Glibc.read(file, &buffer, buffer.count) }
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }
}
