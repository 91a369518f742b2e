internal import Glibc

/// An event of inotify.
struct FileEvent {
  /// The descriptor of the watched directory.
  let watch: Int32
  private let mask: UInt32
  /// The name in the directory; empty if the event is of the directory itself.
  private let name: String

  /// The events in a buffer that the kernel has filled.
  static func all(in buffer: UnsafeRawBufferPointer) -> [FileEvent] {
    var events: [FileEvent] = []
    var rest = buffer[...]
    let head = MemoryLayout<inotify_event>.size
    while rest.count >= head {
      let event = rest.loadUnaligned(as: inotify_event.self)
      let name = rest.dropFirst(head).prefix(Int(event.len)).prefix { $0 != 0 }
      events.append(FileEvent(watch: event.wd, mask: event.mask, name: String(decoding: name, as: UTF8.self)))
      rest = rest.dropFirst(head + Int(event.len))
    }
    return events
  }

  private func isAny(of events: Int32...) -> Bool { events.contains { mask & UInt32($0) != 0 } }

  /// True if the directory was removed or unmounted, and with it its watch.
  var isRemoval: Bool { isAny(of: Int32(IN_IGNORED)) }

  /// True if the path of the directory leads elsewhere from now on.
  var endsWatch: Bool { isRemoval || isAny(of: Int32(IN_MOVE_SELF)) }

  /// True if only the contents of a file have changed, and not what its name stands for.
  var isContents: Bool { isAny(of: Int32(IN_CLOSE_WRITE)) }

  /// Returns true if a file may have changed.
  ///
  /// - Parameters:
  ///   - lookups: The way to the file.
  ///   - directories: The paths of the event's directory.
  func concerns(_ lookups: PathLookups, in directories: Set<String>) -> Bool {
    if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
    if name.isEmpty { return lookups.directories.contains(where: directories.contains) }
    return directories.contains { directory in
      let entry = PathLookups.Entry(directory: directory, name: name)
      return lookups.entries.contains(entry) && !isBeingWritten(entry)
    }
  }

  /// Returns true for a new file whose writer has it open still: another event follows when it is closed. A hard link
  /// to a complete file, or a symbolic link, is no such file.
  private func isBeingWritten(_ entry: PathLookups.Entry) -> Bool {
    guard isAny(of: Int32(IN_CREATE)) else { return false }
    var status = stat()
    return lstat(entry.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
  }
}
