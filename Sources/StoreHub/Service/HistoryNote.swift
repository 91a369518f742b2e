internal import Glibc

/// A note beside the socket that a hub has had a history in its state directory, so that a start without it is noticed.
///
/// A state directory can be removed, or its file system unmounted, while the hub runs. The next start, which a service
/// manager makes at once, would begin an empty history before anyone can restore a backup. The note is kept when the hub
/// stops; it ends with the directory of the socket, usually at the start of the machine.
struct HistoryNote {
  /// The file of the note.
  let path: String
  /// The state directory, absolute.
  private let directory: String

  init(besideSocket socket: String, directory: String) {
    path = socket + ".history"
    var directory = directory[...]
    while directory.count > 1, directory.last == "/" { directory.removeLast() }
    guard !directory.hasPrefix("/"), let current = getcwd(nil, 0) else {
      self.directory = String(directory)
      return
    }
    defer { free(current) }
    self.directory = String(cString: current) + "/" + directory
  }

  /// True if a hub at this socket has had a history in this directory.
  var isPresent: Bool {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let expected = Array(directory.utf8)
    var bytes = [UInt8](repeating: 0, count: expected.count + 1)
    // One more would be another directory.
    return read(descriptor, &bytes, bytes.count) == expected.count && bytes.dropLast().elementsEqual(expected)
  }

  /// Writes the note. Returns the errno if that fails.
  func write() -> CInt? {
    guard !isPresent else { return nil }
    // A new file, so that no link is followed and a reader never finds a part.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let bytes = Array(directory.utf8)
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count ? nil : errno
  }
}

/// The history that a hub had in its state directory is missing.
struct MissingHistory: Error, Equatable, CustomStringConvertible {
  let directory: String
  let note: String

  var description: String {
    """
    \(directory) has no journal, but this hub had a history there: the directory was removed or is not mounted. Nothing \
    was changed. Restore it, for example from a backup, and start the hub; or, to begin an empty history, start it once \
    with --new-history or remove \(note)
    """
  }
}
