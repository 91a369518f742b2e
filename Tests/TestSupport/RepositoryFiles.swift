public import FoundationEssentials

/// Files of the repository from which the tests were compiled.
public enum RepositoryFiles {
  /// The root folder: the one above this file that contains the manifest.
  public static let root: URL = {
    var folder = URL(filePath: #filePath)
    repeat {
      folder.deleteLastPathComponent()
      precondition(folder.path != "/", "no Package.swift above \(#filePath)")
    } while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    return folder
  }()

  /// Returns the location of a file or folder by its path below the root.
  public static func url(_ path: String) -> URL { root.appending(path: path) }

  /// Returns the absolute path of a file or folder by its path below the root.
  public static func path(_ path: String) -> String { url(path).path }

  /// Returns the lines of a file; none if it cannot be read.
  public static func lines(_ path: String) -> [String] {
    guard let text = try? String(contentsOf: url(path), encoding: .utf8) else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
