internal import Glibc

/// Replaces a file as a whole: after a failure it has its old contents.
package struct FileReplacement {
  /// The reason why a file was not replaced.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Writes the new contents beside the file, with its permissions, and renames them.
  package static func replace(_ path: String, with text: String) throws(Failure) {
    func failure(_ what: String) -> Failure {
      Failure(description: "\(path): cannot \(what): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("read it") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(description: "\(path) is no longer a file") }
    let new = "\(path).port-\(getpid())"
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o7777)
    guard file >= 0 else { throw failure("write beside it") }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        let failure = failure("write it")
        close(file)
        unlink(new)
        throw failure
      }
      bytes = bytes.dropFirst(count)
    }
    // The mode of a new file is limited by the process's mask.
    fchmod(file, status.st_mode & 0o7777)
    guard close(file) == 0, rename(new, path) == 0 else {
      let failure = failure("replace it")
      unlink(new)
      throw failure
    }
  }
}
