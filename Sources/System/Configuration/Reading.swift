internal import HubCore
internal import ProgramOptions
internal import SchemaNames
internal import Spelling
internal import Wire

/// A configuration that is being read.
struct Reading {
  let schema: Schema
  /// The schema of the views; nil if the feature declares none.
  let views: Schema?
  let users: UserDatabase
  private var configuration: OperatorConfiguration

  /// The subject of a section's rights.
  private enum Subject: Hashable {
    case user(UInt32), group(UInt32), everyone
    /// The user of a gateway, which is granted users and no rights.
    case gateway(UInt32)
  }

  private enum Section {
    case limits
    case loop
    case region
    case cluster
    case rights(Subject)
    /// A section whose name is a mistake, which must not hide mistakes in its settings.
    case refused
  }

  /// The subjects whose grants are configured. The first section of a subject replaces its default grant.
  private var configured: Set<Subject> = []
  /// The beginning of the last section of each subject.
  private var beginnings: [Subject: INILine] = [:]
  /// The names of invalid sections.
  private var refused: Set<String> = []
  /// The last setting of each limit.
  private var limitLines: [String: INILine] = [:]
  private var cluster: ClusterReading?

  init(schema: Schema, views: Schema?, users: UserDatabase, configuration: OperatorConfiguration) {
    (self.schema, self.views, self.users, self.configuration) = (schema, views, users, configuration)
  }

  /// Adds a setting, or the beginning of a section. Returns its problems.
  mutating func take(_ line: INILine) -> [ConfigurationProblem] {
    do throws(Mistakes) {
      switch try section(of: line) {
      case .limits:
        if let (key, value) = line.setting {
          try takeLimit(key, value)
          limitLines[key] = line
        }
      case .loop:
        if let (key, value) = line.setting { try takeLoop(key, value) }
      case .region:
        if let (key, value) = line.setting { try takeRegion(key, value) }
      case .cluster:
        if cluster == nil { cluster = ClusterReading(line) }
        if let (key, value) = line.setting, let mistake = cluster?.take(key, value, line) { throw Mistakes(mistake) }
      case .rights(let subject):
        if line.setting == nil { try begin(subject, line) }
        if case .gateway(let user) = subject {
          if let (key, value) = line.setting { try takeGateway(user, key, value) }
          return []
        }
        // A section without settings grants nothing.
        if configured.insert(subject).inserted { self[subject] = AccessGrant() }
        if let (key, value) = line.setting {
          var grant = self[subject] ?? AccessGrant()
          try takeGrant(key, value, to: &grant)
          self[subject] = grant
        }
      case .refused:
        if let (key, value) = line.setting { try check(key, value) }
      }
      return []
    } catch {
      return error.list.map {
        ConfigurationProblem(file: line.file, line: line.line, $0.text, isTemporary: $0.isTemporary)
      }
    }
  }

  /// Checks a setting in a section whose name is a mistake, by its key. An unknown key may be a part of that mistake.
  private func check(_ key: String, _ value: String) throws(Mistakes) {
    var grant = AccessGrant()
    if Self.rights.contains(key) { return try takeGrant(key, value, to: &grant) }
    guard LimitSetting.all.contains(where: { $0.name == key }) else { return }
    var other = self
    try other.takeLimit(key, value)
  }

  /// Begins a section. In one file, a user or group may have one only, however its name is written: the later one would
  /// replace the rights of the earlier one, which an operator might not notice.
  private mutating func begin(_ subject: Subject, _ line: INILine) throws(Mistakes) {
    if let earlier = beginnings[subject], earlier.file == line.file, earlier.section != line.section {
      refused.insert(line.section)
      throw Mistakes(
        "[\(line.section)] is the same as [\(earlier.section)], which stands in line \(earlier.line) already")
    }
    beginnings[subject] = line
  }

  private mutating func section(of line: INILine) throws(Mistakes) -> Section {
    if line.setting != nil, refused.contains(line.section) { return .refused }
    do throws(Mistakes) {
      let words = line.section.split(whereSeparator: \.isWhitespace).map(String.init)
      switch (words.first, words.count) {
      case ("limits", 1): return .limits
      case ("loop", 1): return .loop
      case ("region", 1): return .region
      case ("cluster", 1): return .cluster
      case ("everyone", 1): return .rights(.everyone)
      case ("user", 2): return .rights(.user(try id(words[1], "user", among: users.user)))
      case ("group", 2): return .rights(.group(try id(words[1], "group", among: users.group)))
      case ("gateway", 2): return .rights(.gateway(try id(words[1], "user", among: users.user)))
      default:
        let sections = """
          the sections are [limits], [loop], [region], [user NAME], [group NAME], [everyone], [gateway NAME] and [cluster]
          """
        if let key = line.setting?.key, line.section.isEmpty {
          throw Mistakes("'\(key)' stands above the first section; \(sections)")
        }
        throw Mistakes("there is no section [\(line.section)]; \(sections)")
      }
    } catch {
      if line.setting == nil { refused.insert(line.section) }
      throw error
    }
  }

  func finish() -> OperatorConfiguration { configuration }

  /// Completes the section `[cluster]`. Returns what is missing in it, or does not fit together.
  mutating func finishCluster() -> [ConfigurationProblem] {
    guard let (settings, problems) = cluster?.finish() else { return [] }
    configuration.cluster = settings
    return problems
  }

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

  private struct Mistake {
    let text: String
    var isTemporary = false
  }

  /// The mistakes of one setting or section.
  private struct Mistakes: Error {
    var list: [Mistake]
    init(_ list: [Mistake]) { self.list = list }
    init(_ text: String, isTemporary: Bool = false) { list = [Mistake(text: text, isTemporary: isTemporary)] }
  }

  private static let rights = ["read", "act", "write", "admin"]

  private mutating func takeLimit(_ key: String, _ value: String) throws(Mistakes) {
    let limit: LimitSetting
    do throws(LimitError) {
      limit = try LimitSetting.named(key)
    } catch {
      throw Mistakes("there is no limit '\(key)'; the limits are \(error.allowed)")
    }
    do throws(LimitError) {
      try limit.set(value, in: &configuration.limits)
    } catch {
      throw Mistakes("'\(key)' is '\(value)', but must be \(error.allowed)")
    }
    configuration.limitsInFiles.insert(key)
  }

  private mutating func takeLoop(_ key: String, _ value: String) throws(Mistakes) {
    guard key == "busy-poll" else { throw Mistakes("the loop has no setting '\(key)', only busy-poll") }
    guard let time = Duration(busyPoll: value) else {
      throw Mistakes("'busy-poll' is '\(value)', but must be \(Duration.busyPolls)")
    }
    configuration.busyPoll = time
  }

  private mutating func takeRegion(_ key: String, _ value: String) throws(Mistakes) {
    guard let setting = RegionSetting(rawValue: key) else {
      let all = RegionSetting.allCases.map(\.rawValue)
      let near = Spelling.question(Spelling.nearest(to: key, among: all))
      throw Mistakes("there is no setting '\(key)' in [region]; the settings are \(all.joined(separator: ", "))\(near)")
    }
    do throws(RegionError) { try setting.set(value, in: &configuration.region) } catch {
      throw Mistakes(error.description)
    }
  }

  private mutating func takeGateway(_ user: UInt32, _ key: String, _ value: String) throws(Mistakes) {
    guard key == "users" else { throw Mistakes("a gateway has no setting '\(key)', only users") }
    let (all, ends) = (AccessPolicy.remoteUsers, value.split(separator: "-", omittingEmptySubsequences: false))
    guard ends.count == 2, let first = UInt32(ends[0]), let last = UInt32(ends[1]), first <= last,
      all.contains(first), all.contains(last)
    else {
      throw Mistakes(
        "'users' is '\(value)', but must be FIRST-LAST, numbers from \(all.lowerBound) to \(all.upperBound)")
    }
    configuration.policy.gateways[user] = first...last
  }

  private func id(_ name: String, _ kind: String, among database: UserDatabase.Lookup) throws(Mistakes) -> UInt32 {
    // A name that consists of digits only is an id; useradd(8) does not permit such names.
    if let number = UInt32(name) { return number }
    let id: UInt32?
    do throws(UserDatabaseError) { id = try database(name) } catch {
      throw Mistakes(error.description, isTemporary: true)
    }
    guard let id else { throw Mistakes("this machine has no \(kind) '\(name)'; create it, or write its number") }
    return id
  }

  private func takeGrant(_ key: String, _ value: String, to grant: inout AccessGrant) throws(Mistakes) {
    switch key {
    case "read":
      let readable = try paths(key, value) { (text) throws(SchemaNameError) in try readablePath(named: text) }
      grant.read = readable.filter { $0.root == .feature }.map(\.path)
      grant.views = readable.filter { $0.root == .views }.map(\.path)
    case "act":
      grant.act = try paths(key, value) { (text) throws(SchemaNameError) in
        RootedPath(.feature, try schema.actionPath(named: text))
      }.map(\.path)
    case "write":
      guard value == "none" || !schema.sharedModels.isEmpty else {
        throw Mistakes(
          "'write' grants changes of a shared model, which this hub does not have; grant actions with 'act'")
      }
      grant.write = try paths(key, value) { (text) throws(SchemaNameError) in
        RootedPath(.feature, try schema.writablePath(named: text))
      }.map(\.path)
    case "admin":
      switch value {
      case "yes": grant.isAdmin = true
      case "no": grant.isAdmin = false
      default: throw Mistakes("'admin' is '\(value)', but must be yes or no")
      }
    default:
      let near = Spelling.question(Spelling.nearest(to: key, among: Self.rights))
      throw Mistakes("there is no right '\(key)'; the rights are read, act, write and admin\(near)")
    }
  }

  /// A part of the feature's state, or with `view:` of a view. Of a view with a parameter, a grant may name its value.
  private func readablePath(named text: String) throws(SchemaNameError) -> RootedPath {
    guard let name = RootedPath.viewPath(in: text) else { return RootedPath(.feature, try schema.path(named: text)) }
    guard let views else { throw SchemaNameError.noViews(text) }
    do { return RootedPath(.views, try views.path(named: name)) } catch { throw error.inViews(views) }
  }

  /// Returns the paths in a list separated by commas or spaces; `all` stands for everything, `none` for nothing.
  private func paths(
    _ key: String, _ value: String, _ path: (String) throws(SchemaNameError) -> RootedPath
  ) throws(Mistakes) -> [RootedPath] {
    let words = value.split { $0 == "," || $0.isWhitespace }.map(String.init)
    guard !words.isEmpty else { throw Mistakes("'\(key)' is empty; write the paths, or all, or none") }
    if words == ["none"] { return [] }
    if words == ["all"] { return [RootedPath(.feature, [])] }
    if let word = words.first(where: { $0 == "all" || $0 == "none" }) {
      throw Mistakes("'\(key)' has '\(word)' among other words; write it alone")
    }
    var (paths, mistakes): ([RootedPath], [Mistake]) = ([], [])
    for word in words {
      do throws(SchemaNameError) {
        let place = try path(word)
        // A typing error, such as a single point, must not grant everything.
        if place.path.isEmpty {
          let text =
            place.root == .views
            ? "'\(word)' names no view; whoever may read all may attach all views"
            : "'\(word)' is the whole; write \(key) = all for that"
          mistakes.append(Mistake(text: text))
        }
        paths.append(place)
      } catch {
        mistakes.append(Mistake(text: "'\(word)' is not a path of this hub: \(error)"))
      }
    }
    guard mistakes.isEmpty else { throw Mistakes(mistakes) }
    return paths
  }

  private subscript(subject: Subject) -> AccessGrant? {
    get {
      switch subject {
      case .user(let id): configuration.policy.users[id]
      case .group(let id): configuration.policy.groups[id]
      case .everyone: configuration.policy.everyone
      case .gateway: nil
      }
    }
    set {
      switch subject {
      case .user(let id): configuration.policy.users[id] = newValue
      case .group(let id): configuration.policy.groups[id] = newValue
      case .everyone: configuration.policy.everyone = newValue
      case .gateway: break
      }
    }
  }
}
