internal import Glibc

/// Replaces a file atomically: readers see the old contents or the new, and after a crash the disk has one of them.
enum AtomicFile {
  /// Writes to a new file in the same directory, syncs it, and renames it over the old one.
  ///
  /// Missing directories are created. An existing file keeps its permissions; a new one is readable only by its owner.
  /// If the path is a symbolic link, its target is replaced, not the link.
  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(FileSystemError) {
    let path = PathLookups(of: path).file
    try makeDirectories(above: path)
    let temporary = "\(directory(of: path))/.\(name(of: path)).\(getpid()).\(UInt64.random(in: .min ... .max)).tmp"
    let file = try system("open", temporary) { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    do throws(FileSystemError) {
      defer { close(file) }
      var old = stat()
      if stat(path, &old) == 0 { fchmod(file, old.st_mode & 0o7777) }
      try write(bytes, to: file, path: temporary)
      try system("fsync", temporary) { fsync(file) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let error = FileSystemError.last("rename", path)
      unlink(temporary)
      throw error
    }
    try synchronize(directory(of: path))
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, path: String
  ) throws(FileSystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = try system("write", path) { Glibc.write(file, part.baseAddress, part.count) }
      rest = rest.dropFirst(count)
    }
  }

  private static func synchronize(_ directory: String) throws(FileSystemError) {
    let file = try system("open", directory) { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(file) }
    // Some file systems cannot sync a directory; the rename has succeeded nevertheless.
    fsync(file)
  }

  static func makeDirectories(above path: String) throws(FileSystemError) {
    let directory = directory(of: path)
    guard mkdir(directory, 0o700) != 0 else { return }
    switch errno {
    case EEXIST: return
    case ENOENT:
      try makeDirectories(above: directory)
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", directory) }
    default: throw .last("mkdir", directory)
    }
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}
