internal import Glibc
package import HubCore
internal import Spelling
package import Wire

/// The configuration of a hub by its operator: `/etc/storehub/NAME.conf` and `NAME.conf.d/*.conf`.
///
/// ```ini
/// [limits]
/// connections = 1000
///
/// [region]
/// time-zone = Europe/Berlin
///
/// [user alice]
/// read = counter, todos.todos
/// act = counter
///
/// [group kitchen]
/// read = all
/// act = all
/// ```
///
/// A setting in a later file replaces the same setting in an earlier one. Paths are written as for `storectl`.
package struct OperatorConfiguration: Sendable {
  /// The limits for peers.
  package var limits: HubLimits
  /// The calendar, the time zone and the locale that reducers read.
  package var region = RegionalSettings.standard
  /// The users and groups that may use the hub, with their rights.
  package var policy: AccessPolicy
  /// The time for which the hub polls without sleeping after activity; zero for never.
  package var busyPoll = Duration.zero
  /// The cluster of the hub; nil for a hub of one machine.
  package internal(set) var cluster: ClusterSettings?
  /// The files that were read.
  package private(set) var files: [String] = []
  /// The names of the limits that the files set.
  package internal(set) var limitsInFiles: Set<String> = []

  /// Creates the configuration of a hub without a configuration file.
  ///
  /// The owner of the hub's process and root have full rights. Members of the group `storehub`, if the machine has one,
  /// may read and send actions.
  ///
  /// - Parameters:
  ///   - limits: The limits where nothing is configured.
  ///   - owner: The owner; nil for the user of this process.
  ///   - users: The users and groups of the machine.
  /// - Throws: The failure of the user database.
  package init(
    limits: HubLimits = HubLimits(), owner: UInt32? = nil, users: UserDatabase = .system
  ) throws(ConfigurationError) {
    self.limits = limits
    let group: UInt32?
    do throws(UserDatabaseError) { group = try users.group(Self.groupName) } catch {
      throw ConfigurationError(
        problems: [ConfigurationProblem(file: "the standard rights", line: 0, error.description, isTemporary: true)])
    }
    policy = .standard(owner: owner ?? geteuid(), group: group)
  }

  /// The group whose members may use a hub by default.
  package static let groupName = "storehub"

  /// Reads the file at a path, and the files in its drop-in directory, `PATH.d/*.conf`, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: The file. If it is missing, its drop-ins are still read.
  ///   - schema: The schema of the hub's feature, to which paths refer.
  ///   - views: The schema of the views that the feature declares; nil if it declares none.
  ///   - isRequired: True if a missing file is an error.
  ///   - users: The users and groups of the machine.
  /// - Throws: All mistakes in the files.
  package mutating func read(
    _ path: String, schema: Schema, views: Schema? = nil, isRequired: Bool = true, users: UserDatabase = .system
  ) throws(ConfigurationError) {
    let (texts, problems) = Self.texts(of: path, isRequired: isRequired)
    try read(texts, schema: schema, views: views, users: users, after: problems)
  }

  /// Reads texts instead of files; a setting in a later text replaces the same setting in an earlier one.
  ///
  /// - Parameter earlier: The problems that were found already, which are thrown together with those of the texts.
  package mutating func read(
    _ texts: [(file: String, text: String)], schema: Schema, views: Schema? = nil, users: UserDatabase = .system,
    after earlier: [ConfigurationProblem] = []
  ) throws(ConfigurationError) {
    var problems = earlier
    var reading = Reading(schema: schema, views: views, users: users, configuration: self)
    for (file, text) in texts {
      var found: [ConfigurationProblem] = []
      for line in INIFile.lines(in: text, file: file, problems: &found) { found += reading.take(line) }
      problems += found.sorted { $0.line < $1.line }
    }
    problems += reading.contradictions() + reading.finishCluster()
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    self = reading.finish()
    files += texts.map(\.file)
  }

  /// Reads only the section `[cluster]` of the files, for a tool that does not know the feature.
  ///
  /// - Parameter path: The file, whose drop-ins are read, too.
  /// - Returns: The cluster; nil if the files have no such section.
  /// - Throws: All mistakes in the section.
  package static func cluster(in path: String) throws(ConfigurationError) -> ClusterSettings? {
    var (texts, problems) = texts(of: path, isRequired: true)
    var reading: ClusterReading?
    for (file, text) in texts {
      for line in INIFile.lines(in: text, file: file, problems: &problems) where line.section == "cluster" {
        if reading == nil { reading = ClusterReading(line) }
        if let (key, value) = line.setting, let mistake = reading?.take(key, value, line) {
          problems.append(ConfigurationProblem(file: line.file, line: line.line, mistake))
        }
      }
    }
    let result = reading?.finish()
    problems += result?.problems ?? []
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    return result?.settings
  }

  /// The texts of a file and its drop-ins, and why some cannot be read.
  private static func texts(
    of path: String, isRequired: Bool
  ) -> ([(file: String, text: String)], [ConfigurationProblem]) {
    var texts: [(file: String, text: String)] = []
    var problems: [ConfigurationProblem] = []
    var dropIns: [String] = []
    do throws(ConfigurationError) { dropIns = try Self.dropIns(of: path) } catch { problems += error.problems }
    for file in [path] + dropIns {
      do throws(ConfigurationError) {
        if let text = try contents(of: file) {
          texts.append((file, text))
        } else if file == path, isRequired {
          throw unopened(path, ENOENT)
        }
        // A drop-in may have been removed meanwhile.
      } catch { problems += error.problems }
    }
    return (texts, problems)
  }

  private static func unopened(_ path: String, _ code: CInt) -> ConfigurationError {
    let reason = "cannot be opened: \(String(cString: strerror(code)))"
    let advice = code == EACCES ? "; let the hub's user read it" : ""
    return ConfigurationError(problems: [ConfigurationProblem(file: path, line: 0, reason + advice)])
  }

  /// The text of a file; nil if there is none.
  private static func contents(of path: String) throws(ConfigurationError) -> String? {
    func failure(_ reason: String) -> ConfigurationError {
      ConfigurationError(problems: [ConfigurationProblem(file: path, line: 0, reason)])
    }
    guard let file = fopen(path, "re") else {
      if errno == ENOENT { return nil }
      throw unopened(path, errno)
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
      guard bytes.count <= 1 << 20 else { throw failure("is larger than 1M, too large for a configuration") }
    }
    guard ferror(file) == 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("is not UTF-8 text") }
    return text
  }

  private static func dropIns(of path: String) throws(ConfigurationError) -> [String] {
    let directory = path + ".d"
    guard let stream = opendir(directory) else {
      guard errno == ENOENT else {
        let reason = "cannot be opened: \(String(cString: strerror(errno)))"
        throw ConfigurationError(problems: [ConfigurationProblem(file: directory, line: 0, reason)])
      }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(directory)/\($0)" }
  }
}
