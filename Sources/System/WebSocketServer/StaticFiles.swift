internal import Glibc

/// The files of a directory that a server sends to everyone.
package nonisolated struct StaticFiles: Sendable {
  /// A file that exists.
  package struct File: Equatable, Sendable {
    /// Its path without links.
    package let path: String
    /// Its type for browsers.
    package let type: String
  }

  /// The path of the directory, without links.
  package let root: String

  /// Names the directory.
  /// - Returns: Nil if there is no such directory.
  package init?(root: String) {
    var status = stat()
    guard let path = Self.resolved(root), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return nil
    }
    self.root = path
  }

  /// Finds the file for the path of a request; that of a directory is its index.html.
  ///
  /// A path never leads out of the directory, neither by dots nor by a link, nor to a file with a leading dot.
  /// - Parameter path: The path, decoded, without what follows a question mark.
  package func file(for path: String) -> File? {
    guard path.hasPrefix("/"), path.utf8.count <= 1024, !path.utf8.contains(where: { $0 < 32 || $0 == 92 }) else {
      return nil
    }
    let steps = path.split(separator: "/")
    guard !steps.contains(where: { $0.hasPrefix(".") }) else { return nil }
    let wanted = ([root] + steps.map(String.init)).joined(separator: "/")
    return regular(wanted) ?? regular(wanted + "/index.html")
  }

  private func regular(_ path: String) -> File? {
    var status = stat()
    guard let path = Self.resolved(path), path.hasPrefix(root == "/" ? root : root + "/"), stat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    let suffix = path.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(String.init) ?? ""
    return File(path: path, type: Self.types[suffix.lowercased()] ?? "application/octet-stream")
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static let types = [
    "css": "text/css; charset=utf-8", "gif": "image/gif", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
    "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
    "map": "application/json", "mjs": "text/javascript; charset=utf-8", "png": "image/png", "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8", "wasm": "application/wasm", "webp": "image/webp", "woff2": "font/woff2",
  ]

  /// A page loads nothing from elsewhere, connects to this server only, and is not shown inside another page.
  static let headers = """
    content-security-policy: default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r
    x-content-type-options: nosniff\r
    referrer-policy: no-referrer\r
    connection: close\r

    """
}
