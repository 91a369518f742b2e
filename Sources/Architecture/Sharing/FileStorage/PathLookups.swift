internal import Glibc

/// The lookups by which the system finds a file: the directories on the way, and the names in them that decide it.
///
/// The way to `/config/app.json` may be two links, `/config/app.json` → `..data/app.json` and `/config/..data` →
/// `..2026_1`: then the directories are `/`, `/config` and `/config/..2026_1`, and the names are both links and the
/// file.
struct PathLookups: Equatable {
  /// A name in a directory.
  struct Entry: Hashable {
    /// A path without links.
    let directory: String
    let name: String

    var path: String { directory == "/" ? "/\(name)" : "\(directory)/\(name)" }
  }

  /// The directories on the way that exist, from the first, without links in their paths.
  private(set) var directories: [String]
  /// The links, the first missing directory, and the file.
  private(set) var entries: Set<Entry> = []
  /// The file's path without links, as far as it exists.
  private(set) var file: String

  /// Follows a path. A link that leads in a circle counts as the file itself.
  init(of path: String) {
    var directory = path.hasPrefix("/") ? "/" : Self.workingDirectory
    (directories, file) = ([directory], path)
    var rest = Self.components(path)
    var links = 0
    while let name = rest.popLast() {
      let entry = Entry(directory: directory, name: name)
      if name == ".." {
        directory = AtomicFile.directory(of: directory)
        continue
      }
      var status = stat()
      let exists = lstat(entry.path, &status) == 0
      // The kernel follows as many links.
      if exists, status.st_mode & S_IFMT == S_IFLNK, links < 40, let target = Self.target(ofLink: entry.path) {
        links += 1
        entries.insert(entry)
        if target.hasPrefix("/") { directory = "/" }
        rest += Self.components(target)
        continue
      }
      file = ([entry.path] + rest.reversed()).joined(separator: "/")
      if rest.isEmpty || !exists {
        entries.insert(entry)
        return
      }
      directory = entry.path
      if !directories.contains(directory) { directories.append(directory) }
    }
    // The path names a directory by its dots.
    file = directory
  }

  /// The names in a path, the last one first.
  private static func components(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  private static var workingDirectory: String {
    guard let path = realpath(".", nil) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  /// The target of a symbolic link; nil for anything else.
  private static func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
