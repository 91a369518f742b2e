internal import HubCore
internal import Spelling
internal import Wire

/// A configuration that is being read.
struct Reading {
  let schema: Schema
  let users: UserDatabase
  private var configuration: OperatorConfiguration
  private var connectionsPerUser: Int?

  /// The subject of a section's rights.
  private enum Subject: Hashable {
    case user(UInt32), group(UInt32), everyone
  }

  /// The subjects whose grants are configured. The first section of a subject replaces its default grant.
  private var configured: Set<Subject> = []

  init(schema: Schema, users: UserDatabase, configuration: OperatorConfiguration) {
    (self.schema, self.users, self.configuration) = (schema, users, configuration)
  }

  /// Adds a setting. Returns the problem if it is invalid.
  mutating func take(_ setting: INISetting) -> ConfigurationProblem? {
    do throws(Mistake) {
      let words = setting.section.split(whereSeparator: \.isWhitespace).map(String.init)
      switch (words.first, words.count) {
      case ("limits", 1): try takeLimit(setting)
      case ("everyone", 1): try takeGrant(setting, to: .everyone)
      case ("user", 2):
        try takeGrant(setting, to: .user(try id(words[1], "user", among: users.user)))
      case ("group", 2):
        try takeGrant(setting, to: .group(try id(words[1], "group", among: users.group)))
      default:
        let sections = "the sections are [limits], [user NAME], [group NAME] and [everyone]"
        throw Mistake(
          setting.section.isEmpty
            ? "'\(setting.key)' stands above the first section; \(sections)"
            : "there is no section [\(setting.section)]; \(sections)")
      }
      return nil
    } catch {
      return ConfigurationProblem(file: setting.file, line: setting.line, error.text)
    }
  }

  func finish() -> OperatorConfiguration { configuration }

  private struct Mistake: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private mutating func takeLimit(_ setting: INISetting) throws(Mistake) {
    let limit: LimitSetting
    do throws(LimitError) {
      limit = try LimitSetting.named(setting.key)
    } catch {
      throw Mistake("there is no limit '\(setting.key)'; the limits are \(error.allowed)")
    }
    do throws(LimitError) {
      try limit.set(setting.value, in: &configuration.limits)
    } catch {
      throw Mistake("'\(setting.key)' is '\(setting.value)', but must be \(error.allowed)")
    }
  }

  private func id(_ name: String, _ kind: String, among database: (String) -> UInt32?) throws(Mistake) -> UInt32 {
    // A name that consists of digits only is an id; useradd(8) does not permit such names.
    if let number = UInt32(name) { return number }
    guard let id = database(name) else {
      throw Mistake("this machine has no \(kind) '\(name)'; create it, or write its number")
    }
    return id
  }

  private mutating func takeGrant(_ setting: INISetting, to subject: Subject) throws(Mistake) {
    var grant = configured.contains(subject) ? self[subject] ?? AccessGrant() : AccessGrant()
    switch setting.key {
    case "read": grant.read = try paths(setting) { (text) throws(SchemaNameError) in try schema.path(named: text) }
    case "act": grant.act = try paths(setting) { (text) throws(SchemaNameError) in try schema.actionPath(named: text) }
    case "admin":
      switch setting.value {
      case "yes": grant.isAdmin = true
      case "no": grant.isAdmin = false
      default: throw Mistake("'admin' is '\(setting.value)', but must be yes or no")
      }
    default:
      let near = Spelling.question(Spelling.nearest(to: setting.key, among: ["read", "act", "admin"]))
      throw Mistake("there is no right '\(setting.key)'; the rights are read, act and admin\(near)")
    }
    configured.insert(subject)
    self[subject] = grant
  }

  /// Returns the paths in a list separated by commas or spaces; `all` stands for everything, `none` for nothing.
  private func paths(
    _ setting: INISetting, _ path: (String) throws(SchemaNameError) -> [PathStep]
  ) throws(Mistake) -> [[PathStep]] {
    let words = setting.value.split { $0 == "," || $0.isWhitespace }.map(String.init)
    guard !words.isEmpty else { throw Mistake("'\(setting.key)' is empty; write the paths, or all, or none") }
    if words == ["none"] { return [] }
    if words == ["all"] { return [[]] }
    if let word = words.first(where: { $0 == "all" || $0 == "none" }) {
      throw Mistake("'\(setting.key)' has '\(word)' among other words; write it alone")
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
      guard !steps.isEmpty else { throw Mistake("'\(word)' is the whole; write \(setting.key) = all for that") }
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
