public import FoundationEssentials

// Foundation has these on other platforms only. Disfavoured, so that one day it may have them here as well.
extension URL {
  /// The user's documents: `$XDG_DOCUMENTS_DIR`, or `~/Documents`.
  @_disfavoredOverload
  public static var documentsDirectory: URL { userDirectory(.documentDirectory) }

  /// The files that a program keeps for its user: `$XDG_DATA_HOME`, or `~/.local/share`.
  @_disfavoredOverload
  public static var applicationSupportDirectory: URL { userDirectory(.applicationSupportDirectory) }

  /// The files that a program can make again: `$XDG_CACHE_HOME`, or `~/.cache`.
  @_disfavoredOverload
  public static var cachesDirectory: URL { userDirectory(.cachesDirectory) }

  private static func userDirectory(_ directory: FileManager.SearchPathDirectory) -> URL {
    FileManager.default.urls(for: directory, in: .userDomainMask).first ?? .homeDirectory
  }
}
