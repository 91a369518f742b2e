internal import HubCore
internal import Spelling
internal import Wire

/// A configuration that is being read.
struct Reading {
  let schema: Schema
  let users: UserDatabase
  private var configuration: OperatorConfiguration

  /// The subject of a section's rights.
  private enum Subject: Hashable {
    case user(UInt32), group(UInt32), everyone
  }

  private enum Section {
    case limits, rights(Subject)
  }

  /// The subjects whose grants are configured. The first section of a subject replaces its default grant.
  private var configured: Set<Subject> = []
  /// The beginning of the last section of each subject.
  private var beginnings: [Subject: INILine] = [:]
  /// The names of invalid sections, whose settings are not reported as well.
  private var refused: Set<String> = []
  /// The last setting of each limit.
  private var limitLines: [String: INILine] = [:]

  init(schema: Schema, users: UserDatabase, configuration: OperatorConfiguration) {
    (self.schema, self.users, self.configuration) = (schema, users, configuration)
  }

  /// Adds a setting, or the beginning of a section. Returns the problem if it is invalid.
  mutating func take(_ line: INILine) -> ConfigurationProblem? {
    guard !refused.contains(line.section) || line.setting == nil else { return nil }
    do throws(Mistake) {
      switch try section(of: line) {
      case .limits:
        if let (key, value) = line.setting {
          try takeLimit(key, value)
          limitLines[key] = line
        }
      case .rights(let subject):
        if line.setting == nil { try begin(subject, line) }
        // A section without settings grants nothing.
        if configured.insert(subject).inserted { self[subject] = AccessGrant() }
        if let (key, value) = line.setting { try takeGrant(key, value, to: subject) }
      }
      return nil
    } catch {
      return ConfigurationProblem(file: line.file, line: line.line, error.text, isTemporary: error.isTemporary)
    }
  }

  /// Begins a section. In one file, a user or group may have one only, however its name is written: the later one would
  /// replace the rights of the earlier one, which an operator might not notice.
  private mutating func begin(_ subject: Subject, _ line: INILine) throws(Mistake) {
    if let earlier = beginnings[subject], earlier.file == line.file, earlier.section != line.section {
      refused.insert(line.section)
      throw Mistake(
        "[\(line.section)] is the same as [\(earlier.section)], which stands in line \(earlier.line) already")
    }
    beginnings[subject] = line
  }

  private mutating func section(of line: INILine) throws(Mistake) -> Section {
    do throws(Mistake) {
      let words = line.section.split(whereSeparator: \.isWhitespace).map(String.init)
      switch (words.first, words.count) {
      case ("limits", 1): return .limits
      case ("everyone", 1): return .rights(.everyone)
      case ("user", 2): return .rights(.user(try id(words[1], "user", among: users.user)))
      case ("group", 2): return .rights(.group(try id(words[1], "group", among: users.group)))
      default:
        let sections = "the sections are [limits], [user NAME], [group NAME] and [everyone]"
        if let key = line.setting?.key, line.section.isEmpty {
          throw Mistake("'\(key)' stands above the first section; \(sections)")
        }
        throw Mistake("there is no section [\(line.section)]; \(sections)")
      }
    } catch {
      if line.setting == nil { refused.insert(line.section) }
      throw error
    }
  }

  func finish() -> OperatorConfiguration { configuration }

  /// The limits that contradict each other: a frame that is permitted must not close its connection.
  func contradictions() -> [ConfigurationProblem] {
    let (limits, frame) = (configuration.limits, "frame-bytes")
    // A single user may hold half of what is held for all.
    let held = [("held-bytes-per-user", limits.heldBytesPerUser, 1), ("held-bytes", limits.heldBytes, 2)]
    return held.compactMap { name, count, factor in
      guard limits.payloadBytes > count / factor, let line = limitLines[frame] ?? limitLines[name] else { return nil }
      let (frameBytes, heldBytes) = (LimitSetting.text(ofBytes: limits.payloadBytes), LimitSetting.text(ofBytes: count))
      return ConfigurationProblem(
        file: line.file, line: line.line,
        """
        '\(frame)' is \(frameBytes), but must not be more than \(factor == 1 ? "" : "half of ")'\(name)', which is \
        \(heldBytes): a frame of that size would close its connection
        """)
    }
  }

  private struct Mistake: Error {
    let text: String
    let isTemporary: Bool
    init(_ text: String, isTemporary: Bool = false) { (self.text, self.isTemporary) = (text, isTemporary) }
  }

  private mutating func takeLimit(_ key: String, _ value: String) throws(Mistake) {
    let limit: LimitSetting
    do throws(LimitError) {
      limit = try LimitSetting.named(key)
    } catch {
      throw Mistake("there is no limit '\(key)'; the limits are \(error.allowed)")
    }
    do throws(LimitError) {
      try limit.set(value, in: &configuration.limits)
    } catch {
      throw Mistake("'\(key)' is '\(value)', but must be \(error.allowed)")
    }
    configuration.limitsInFiles.insert(key)
  }

  private func id(_ name: String, _ kind: String, among database: UserDatabase.Lookup) throws(Mistake) -> UInt32 {
    // A name that consists of digits only is an id; useradd(8) does not permit such names.
    if let number = UInt32(name) { return number }
    let id: UInt32?
    do throws(UserDatabaseError) { id = try database(name) } catch {
      throw Mistake(error.description, isTemporary: true)
    }
    guard let id else { throw Mistake("this machine has no \(kind) '\(name)'; create it, or write its number") }
    return id
  }

  private mutating func takeGrant(_ key: String, _ value: String, to subject: Subject) throws(Mistake) {
    var grant = self[subject] ?? AccessGrant()
    switch key {
    case "read": grant.read = try paths(key, value) { (text) throws(SchemaNameError) in try schema.path(named: text) }
    case "act":
      grant.act = try paths(key, value) { (text) throws(SchemaNameError) in try schema.actionPath(named: text) }
    case "admin":
      switch value {
      case "yes": grant.isAdmin = true
      case "no": grant.isAdmin = false
      default: throw Mistake("'admin' is '\(value)', but must be yes or no")
      }
    default:
      let near = Spelling.question(Spelling.nearest(to: key, among: ["read", "act", "admin"]))
      throw Mistake("there is no right '\(key)'; the rights are read, act and admin\(near)")
    }
    self[subject] = grant
  }

  /// Returns the paths in a list separated by commas or spaces; `all` stands for everything, `none` for nothing.
  private func paths(
    _ key: String, _ value: String, _ path: (String) throws(SchemaNameError) -> [PathStep]
  ) throws(Mistake) -> [[PathStep]] {
    let words = value.split { $0 == "," || $0.isWhitespace }.map(String.init)
    guard !words.isEmpty else { throw Mistake("'\(key)' is empty; write the paths, or all, or none") }
    if words == ["none"] { return [] }
    if words == ["all"] { return [[]] }
    if let word = words.first(where: { $0 == "all" || $0 == "none" }) {
      throw Mistake("'\(key)' has '\(word)' among other words; write it alone")
    }
    var paths: [[PathStep]] = []
    for word in words {
      let steps: [PathStep]
      do throws(SchemaNameError) {
        steps = try path(word)
      } catch {
        throw Mistake("'\(word)' is not a path of this hub: \(error)")
      }
      // A typing error, such as a single point, must not grant everything.
      guard !steps.isEmpty else { throw Mistake("'\(word)' is the whole; write \(key) = all for that") }
      paths.append(steps)
    }
    return paths
  }

  private subscript(subject: Subject) -> AccessGrant? {
    get {
      switch subject {
      case .user(let id): configuration.policy.users[id]
      case .group(let id): configuration.policy.groups[id]
      case .everyone: configuration.policy.everyone
      }
    }
    set {
      switch subject {
      case .user(let id): configuration.policy.users[id] = newValue
      case .group(let id): configuration.policy.groups[id] = newValue
      case .everyone: configuration.policy.everyone = newValue
      }
    }
  }
}
