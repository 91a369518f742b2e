internal import Glibc

/// The system refused an operation on a file.
public struct FileSystemError: Error, Hashable, CustomStringConvertible {
  /// The system call.
  public let operation: String
  /// The file.
  public let path: String
  /// The value of `errno`.
  public let code: Int32

  /// The error of the last failed system call of this thread.
  static func last(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(operation: operation, path: path, code: errno)
  }

  public var description: String { "\(operation) \(path): \(String(cString: strerror(code)))" }
}

/// Repeats a call while signals interrupt it; throws the system's error.
@discardableResult
func system<Result: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Result
) throws(FileSystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    guard errno == EINTR else { throw .last(operation, path) }
  }
}
