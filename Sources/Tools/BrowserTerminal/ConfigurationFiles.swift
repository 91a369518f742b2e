internal import Glibc
package import SchemaBrowser

/// The files with the configuration of a hub's screens.
///
/// The file beside the hub's own configuration is read first, then the user's, whose settings replace those of the
/// first. A file that is named on the command line is the only one.
package enum ConfigurationFiles {
  /// The paths of the files for a hub, the first one first.
  package static func paths(hub: String) -> [String] {
    // A name with a slash would lead elsewhere.
    // Without the version behind it.
    let hub = hub.prefix { $0 != " " }
    guard !hub.isEmpty, !hub.contains("/"), !hub.hasPrefix(".") else { return [] }
    var paths = ["/etc/storehub/\(hub).storeterm.conf"]
    if let directory = variable("XDG_CONFIG_HOME") ?? variable("HOME").map({ $0 + "/.config" }) {
      paths.append("\(directory)/storehub/\(hub).storeterm.conf")
    }
    return paths
  }

  /// Reads the configuration of a hub.
  ///
  /// - Parameter file: The only file; nil for those of the hub's name, of which each may be missing.
  /// - Throws: The file with its first mistake, or the reason why it cannot be read.
  package static func read(_ file: String?, hub: String) throws -> BrowserConfiguration {
    var configuration = BrowserConfiguration()
    for path in file.map({ [$0] }) ?? paths(hub: hub) {
      guard let text = try text(of: path, isRequired: file != nil) else { continue }
      do throws(BrowserConfigurationError) { try configuration.read(text) } catch {
        throw FileError(path: path, reason: "\(error)")
      }
    }
    return configuration
  }

  private struct FileError: Error, CustomStringConvertible {
    let path: String
    let reason: String
    var description: String { "\(path): \(reason)" }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The maximum size of a file.
  private static let byteLimit = 1 << 20

  private static func text(of path: String, isRequired: Bool) throws -> String? {
    guard let file = fopen(path, "r") else {
      if !isRequired, errno == ENOENT || errno == EACCES { return nil }
      throw FileError(path: path, reason: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: byteLimit + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw FileError(path: path, reason: "it cannot be read") }
    guard count <= byteLimit else { throw FileError(path: path, reason: "it has more than \(byteLimit) bytes") }
    guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw FileError(path: path, reason: "it is not UTF-8")
    }
    return text
  }
}
