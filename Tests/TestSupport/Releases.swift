import Foundation

/// What each released version said on the wire, as `scripts/freeze-release` has kept it.
public enum Releases {
  private static let folder = "Tests/Golden/releases"

  /// The released versions.
  public static var versions: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: RepositoryFiles.path(folder))) ?? []
    return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
  }

  /// Returns the lines of a file of a release, such as `session.txt`.
  public static func lines(_ file: String, of version: String) -> [String] {
    RepositoryFiles.lines("\(folder)/\(version)/\(file)")
  }
}
