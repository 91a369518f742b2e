internal import Glibc

/// The directories that inotify watches, by path and by watch descriptor.
///
/// The kernel assigns one descriptor to a directory, whatever its paths; a path may lead to another directory later.
struct WatchedDirectories {
  var inotify: Int32?
  private var paths: [Int32: Set<String>] = [:]
  private var watches: [String: Int32] = [:]

  /// The paths of a watched directory.
  func names(of watch: Int32) -> Set<String> { paths[watch] ?? [] }

  /// Watches the directories on the way to a file, from the root down.
  ///
  /// A directory above the file's that this user must not read is passed over. The way is followed again until it does
  /// not change meanwhile; if it changes often, later events lead here again.
  ///
  /// - Returns: The way, and the reason why it is not watched completely.
  mutating func follow(_ path: String) -> (lookups: PathLookups, error: FileSystemError?) {
    var lookups = PathLookups(of: path)
    var failure: FileSystemError?
    for _ in 0..<8 {
      failure = nil
      for directory in lookups.directories {
        do throws(FileSystemError) {
          try add(directory, withNames: lookups.entries.contains { $0.directory == directory })
        } catch {
          let isMissing = error.code == ENOENT || error.code == ENOTDIR
          let isPassed = error.code == EACCES && directory != lookups.directories.last
          if !isMissing, !isPassed { failure = failure ?? error }
        }
      }
      let again = PathLookups(of: path)
      if again == lookups { break }
      lookups = again
    }
    return (lookups, failure)
  }

  /// - Parameter withNames: True if names in it are of interest. Of other directories only their own end is, so that a
  ///   busy directory on the way, such as `/tmp`, causes no wake-ups.
  private mutating func add(_ directory: String, withNames: Bool) throws(FileSystemError) {
    guard let inotify else { return }
    var events = IN_DELETE_SELF | IN_MOVE_SELF
    if withNames { events |= IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE }
    let flags = UInt32(events | IN_ONLYDIR) | UInt32(IN_MASK_ADD)
    let watch = try system("inotify_add_watch", directory) { inotify_add_watch(inotify, directory, flags) }
    if let old = watches[directory], old != watch { remove(directory, from: old) }
    watches[directory] = watch
    paths[watch, default: []].insert(directory)
  }

  private mutating func remove(_ directory: String, from watch: Int32) {
    paths[watch]?.remove(directory)
    if watches[directory] == watch { watches[directory] = nil }
    if paths[watch]?.isEmpty == true { forget(watch, isRemoved: false) }
  }

  /// Ends a watch whose directory has moved or no longer exists.
  ///
  /// - Parameter isRemoved: True if the kernel has removed the watch.
  mutating func forget(_ watch: Int32, isRemoved: Bool) {
    guard let directories = paths.removeValue(forKey: watch) else { return }
    for directory in directories where watches[directory] == watch { watches[directory] = nil }
    if !isRemoved, let inotify { inotify_rm_watch(inotify, watch) }
  }

  /// Ends the watches of other directories.
  mutating func keep(_ directories: Set<String>) {
    for (directory, watch) in watches where !directories.contains(directory) { remove(directory, from: watch) }
  }
}
