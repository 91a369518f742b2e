internal import Glibc

/// Tells the developer of a mistake that must not stop the program, on standard error with where it was made.
package func reportIssue(_ message: String, fileID: StaticString, line: UInt) {
  let text = "\(fileID):\(line): warning: \(message)\n"
  _ = text.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
}

/// Tells of a dependency that a test used without overriding it.
func reportUnimplemented(_ name: String) {
  reportIssue(
    "a test used the dependency “\(name)” without overriding it; override it with withDependencies",
    fileID: "Dependencies", line: 0)
}
