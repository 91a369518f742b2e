internal import Glibc
internal import HubCore
internal import Journal

extension JournalPlace {
  /// Finds the directory of a journal, and who may read its files; nil if that is impossible.
  init?(directory: String) {
    var (folder, file) = (stat(), stat())
    guard let resolved = realpath(directory, nil) else { return nil }
    defer { free(resolved) }
    let path = String(cString: resolved)
    guard stat(path, &folder) == 0, stat(JournalTool.database(in: path), &file) == 0 else { return nil }
    let isShared = folder.st_mode & 0o050 == 0o050 && file.st_mode & 0o040 != 0 && folder.st_gid == file.st_gid
    self.init(path: path, user: file.st_uid, group: isShared ? file.st_gid : nil)
  }
}
