public import FoundationEssentials

// On Linux, Foundation lacks these properties. They are disfavoured in case it adds them.
extension URL {
  /// The directory of the user's documents: `$XDG_DOCUMENTS_DIR`, or `~/Documents`.
  @_disfavoredOverload
  public static var documentsDirectory: URL { userDirectory(.documentDirectory) }

  /// The directory of a program's data for the user: `$XDG_DATA_HOME`, or `~/.local/share`.
  @_disfavoredOverload
  public static var applicationSupportDirectory: URL { userDirectory(.applicationSupportDirectory) }

  /// The directory of files that a program can create again: `$XDG_CACHE_HOME`, or `~/.cache`.
  @_disfavoredOverload
  public static var cachesDirectory: URL { userDirectory(.cachesDirectory) }

  private static func userDirectory(_ directory: FileManager.SearchPathDirectory) -> URL {
    FileManager.default.urls(for: directory, in: .userDomainMask).first ?? .homeDirectory
  }
}
