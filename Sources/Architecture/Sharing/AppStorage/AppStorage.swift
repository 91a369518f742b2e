public import Dependencies
public import FoundationEssentials
internal import Glibc

/// The settings of an application: a file with the values of `.appStorage` keys.
///
/// The file is a JSON object of the keys, which people may edit while programs run. Its path is
/// `$XDG_CONFIG_HOME/<application>/settings.json`; `XDG_CONFIG_HOME` is `~/.config` unless it is set to an absolute
/// path, and the application has the name of its program. Each change replaces the file atomically, under a lock file
/// beside it, so that concurrent changes of different keys are not lost. Entries without a key are preserved.
public struct AppStorage: Sendable {
  let file: URL
  let files: FileStorage

  /// Settings in a given file.
  public init(file: URL, files: FileStorage = .fileSystem) {
    (self.file, self.files) = (file, files)
  }

  /// The settings of an application by its name.
  public init(application: String, files: FileStorage = .fileSystem) {
    let home = URL(
      filePath: Self.configurationDirectory { getenv($0).map { String(cString: $0) } }, directoryHint: .isDirectory)
    self.init(file: home.appending(path: application).appending(path: "settings.json"), files: files)
  }

  /// The settings of this program.
  public static var application: AppStorage {
    let program = AtomicFile.name(of: CommandLine.arguments.first ?? "")
    return AppStorage(application: program.isEmpty ? "swift" : program)
  }

  /// Empty settings in memory.
  public static var inMemory: AppStorage {
    AppStorage(file: URL(filePath: "/settings.json"), files: .inMemory)
  }

  /// The directory for settings, from the environment's variables and, without a `HOME`, the user's entry in the
  /// system.
  package static func configurationDirectory(_ variable: (String) -> String?) -> String {
    if let directory = variable("XDG_CONFIG_HOME"), directory.hasPrefix("/") { return directory }
    let home = variable("HOME") ?? getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
    return home + "/.config"
  }

  func read(_ key: String) throws -> JSONValue? {
    try readAll()[key]
  }

  private func readAll() throws -> [String: JSONValue] {
    guard let data = try files.read(file), !data.isEmpty else { return [:] }
    return try JSONDecoder().decode([String: JSONValue].self, from: data)
  }

  /// Sets or removes one value. A file that is not a JSON object is not changed, because it contains a user's edits.
  func write(_ value: JSONValue?, for key: String) throws {
    try files.exclusively(file) {
      var all = try readAll()
      guard all[key] != value else { return }
      all[key] = value
      try files.write(try JSONEncoder.forFiles.encode(all), file)
    }
  }
}

extension DependencyValues {
  /// The settings of `.appStorage` keys: those of this program; in a test, separate ones in memory.
  public var defaultAppStorage: AppStorage {
    get { self[AppStorageDependency.self] }
    set { self[AppStorageDependency.self] = newValue }
  }
}

private enum AppStorageDependency: DependencyKey {
  static let liveValue = AppStorage.application
  static let perTest = PerTest { AppStorage.inMemory }
  static var testValue: AppStorage { perTest.value }
  static var previewValue: AppStorage { testValue }
}
