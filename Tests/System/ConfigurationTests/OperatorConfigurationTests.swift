import Configuration
import FeatureCore
import Features
import Foundation
import HubCore
import SchemaNames
import Testing
import Wire

@Suite struct OperatorConfigurationTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private static let users = UserDatabase(
    user: { ["root": 0, "alice": 1001, "bob": 1002][$0] }, group: { ["storehub": 50, "kitchen": 51][$0] })

  private func read(_ texts: String...) throws(ConfigurationError) -> OperatorConfiguration {
    var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
    let files = texts.enumerated().map { (file: "\($0).conf", text: $1) }
    try configuration.read(files, schema: Self.schema, users: Self.users)
    return configuration
  }

  private func problems(_ texts: String...) -> [String] {
    do throws(ConfigurationError) {
      var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
      let files = texts.enumerated().map { (file: "\($0).conf", text: $1) }
      try configuration.read(files, schema: Self.schema, users: Self.users)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func withoutAFileTheOwnerRootAndOneGroupAreLetIn() throws {
    #expect(try OperatorConfiguration(owner: 7, users: Self.users).policy == .standard(owner: 7, group: 50))
    let none = UserDatabase(user: { _ in nil }, group: { _ in nil })
    #expect(try OperatorConfiguration(owner: 7, users: none).policy == .standard(owner: 7, group: nil))
  }

  @Test func theRegionIsReadAndPrinted() throws {
    let other = try read("[region]\ntime-zone = Europe/Berlin\nlocale = de_DE", "[region]\ntime-zone = GMT+02:00")
    #expect(other.region == RegionalSettings(timeZone: "GMT+02:00", locale: "de_DE"))
    let text = other.text(for: Self.schema)
    #expect(text.contains("\n\n[region]\ncalendar = gregorian\ntime-zone = GMT+02:00\nlocale = de_DE\n\n"))
    #expect(try read(text).region == other.region)
    #expect(try read("[limits]").region == .standard)
  }

  @Test func mistakesInTheRegionAreNamed() {
    let found = problems("[region]\ntimezone = UTC\ntime-zone = Europe/Brlin\ncalendar = julian\nlocale = deutsch")
    #expect(
      found.map { String($0.prefix(63)) } == [
        "0.conf:2: there is no setting 'timezone' in [region]; the setti",
        "0.conf:3: there is no time zone 'Europe/Brlin'; write a name su",
        "0.conf:4: there is no calendar 'julian'; the calendars are budd",
        "0.conf:5: 'deutsch' is not the name of a locale; write one such",
      ])
  }

  /// A name that cannot be looked up is not a name that does not exist; another attempt may succeed.
  @Test func aFailureOfTheUserDatabaseIsReported() throws {
    let failing: UserDatabase.Lookup = { (name) throws(UserDatabaseError) in
      throw UserDatabaseError("cannot look up '\(name)': no descriptors")
    }
    let error = #expect(throws: ConfigurationError.self) {
      try OperatorConfiguration(users: UserDatabase(user: failing, group: failing))
    }
    #expect(error?.description == "the standard rights: cannot look up 'storehub': no descriptors")
    #expect(error?.isTemporary == true)
    var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
    for (text, isTemporary) in [("[user bob]\nread = all", true), ("[user bob]\n[grup x]", false)] {
      let problem = #expect(throws: ConfigurationError.self) {
        try configuration.read(
          [(file: "a.conf", text: text)], schema: Self.schema, users: UserDatabase(user: failing, group: failing))
      }
      #expect(problem?.problems.first?.description == "a.conf:1: cannot look up 'bob': no descriptors")
      #expect(problem?.isTemporary == isTemporary)
    }
    #expect(try UserDatabase.system.user("root") == 0)
    #expect(try UserDatabase.system.group("root") == 0)
    #expect(try UserDatabase.system.group("storehub-no-such-group") == nil)
  }

  /// The settings of a closed group may be commented out.
  @Test(arguments: [
    "[group storehub]", "[group storehub]\n# read = all", "[group storehub]\n[user alice]\nread = all",
    "\u{feff}[group storehub]\r\n\r\n", "  [group storehub] ; closed",
  ])
  func aSectionWithoutSettingsGrantsNothing(text: String) throws {
    #expect(try read(text).policy.groups[50] == AccessGrant())
    // Later settings of the same subject add to it.
    let later = try read(text, "[group storehub]\nread = counter\n[group storehub]").policy
    #expect(later.groups[50] == AccessGrant(read: [[0]]))
  }

  /// Only a later file replaces a setting.
  @Test func aSettingThatStandsTwiceInOneFileIsReported() throws {
    let reason = "'read' stands in line 2 already; one of them would be ignored"
    #expect(problems("[user alice]\nread = counter\nread = todos") == ["0.conf:3: \(reason)"])
    #expect(problems("[user alice]\nread = counter\n\n[user alice]\nread = todos") == ["0.conf:5: \(reason)"])
    #expect(try read("[user alice]\nread = counter", "[user alice]\nread = none").policy.users[1001] == AccessGrant())
  }

  /// An indented line is part of the value above it.
  @Test func aSectionIsNotBegunByTheContinuationOfAValue() {
    #expect(
      problems("[user alice]\nread = counter\n  [group storehub]").map { $0.prefix(40) }
        == ["0.conf:2: '[group' is not a path of this", "0.conf:2: 'storehub]' is not a path of t"])
  }

  @Test func filesMayHaveTheLineEndsOfWindows() throws {
    let policy = try read("[user alice]\r\nread = counter,\r\n  todos\r\n\r\n[everyone]\r\nadmin = no\r\n").policy
    #expect(policy.users[1001] == AccessGrant(read: [[0], [1]]))
    #expect(problems("[limits]\r\n\r\nscopes = 0\r\n").map { $0.prefix(8) } == ["0.conf:3"])
    let name = String(repeating: "a", count: 60)
    #expect(problems("[limits]\r\n[user \(name)]\r\n").map { $0.prefix(8) } == ["0.conf:2"])
  }

  @Test func theLimitsThatTheFilesSetAreKnown() throws {
    let configuration = try read("[limits]\nconnections-per-user = none\n", "[limits]\nscopes = 6")
    #expect(configuration.limits.connectionsPerUser == .max)
    #expect(configuration.limitsInFiles == ["connections-per-user", "scopes"])
  }

  @Test func everySettingIsRead() throws {
    let configuration = try read(
      """
      # The kitchen's hub.
      [limits]
      connections = 100       ; a comment
      connections-per-user = 10
      hello-timeout = 0.5s
      frame-timeout = 20s
      hold-timeout = 1500ms
      frame-bytes = 64K
      held-bytes-per-user = 2M
      scopes = 5
      sessions = 12

      [user alice]
      read = counter, todos.todos[3]
        favourites.count
      act = counter.incrementButtonTapped todos
      [group kitchen]
      read = all
      act = none
      admin = yes
      [group storehub]
      read = none
      [user 4242]
      act = all
      [everyone]
      read = counter.count
      """)
    let limits = configuration.limits
    #expect((limits.connections, limits.connectionsPerUser, limits.scopes) == (100, 10, 5))
    #expect((limits.helloTimeout, limits.frameTimeout) == (.milliseconds(500), .seconds(20)))
    #expect(limits.holdTimeout == .milliseconds(1500))
    #expect((limits.payloadBytes, limits.heldBytesPerUser, limits.detachedSessions) == (65536, 2 << 20, 12))
    let policy = configuration.policy
    #expect(policy.users[0] == .everything && policy.users[7] == .everything)
    #expect(
      policy.users[1001]
        == AccessGrant(
          read: [[0], [1, 0, .id([3])], [2, 0]],
          act: [
            try Self.schema.actionPath(named: "counter.incrementButtonTapped"),
            try Self.schema.actionPath(named: "todos"),
          ]))
    #expect(policy.users[4242] == AccessGrant(act: [[]]))
    #expect(policy.groups == [51: AccessGrant(read: [[]], isAdmin: true), 50: AccessGrant()])
    #expect(policy.everyone == AccessGrant(read: [[0, 0]]))
  }

  @Test func aLaterFileReplacesSingleSettings() throws {
    let configuration = try read(
      "[user alice]\nread = counter\nact = counter\n[limits]\nscopes = 5", "[user alice]\nread = todos",
      "[limits]\nscopes = 6")
    #expect(configuration.limits.scopes == 6)
    #expect(configuration.policy.users[1001] == AccessGrant(read: [[1]], act: [[.key(0)]]))
    #expect(configuration.files == ["0.conf", "1.conf", "2.conf"])
  }

  @Test func theLoopPollsForAShortTimeOrNotAtAll() throws {
    #expect(try read("[limits]\nscopes = 5").busyPoll == .zero)
    let configuration = try read("[loop]\nbusy-poll = 1ms", "[loop]\nbusy-poll = 50us")
    #expect(configuration.busyPoll == .microseconds(50))
    let printed = configuration.text(for: Self.schema)
    #expect(printed.contains("\n[loop]\nbusy-poll = 50us\n"))
    #expect(try read(printed).busyPoll == .microseconds(50))
    #expect(try read("[loop]").text(for: Self.schema).contains("\n[loop]\nbusy-poll = 0\n"))
    #expect(
      problems("[loop]\nbusy-poll = 1s\nbusy = 1us") == [
        "0.conf:2: 'busy-poll' is '1s', but must be 0, or a time up to 10ms with its unit, such as 50us",
        "0.conf:3: the loop has no setting 'busy', only busy-poll",
      ])
  }

  @Test func aHeaderMayHaveAComment() throws {
    for header in ["[limits]", "[limits] \t", "[limits] ; ours", " [limits]# ours", "[limits]\r"] {
      #expect(try read("\(header)\nscopes = 6").limits.scopes == 6, "\(header)")
    }
  }

  @Test func whatIsPrintedSaysTheSame() throws {
    let written = try read(
      "[limits]\nframe-bytes = 64K\nhello-timeout=1500ms\n[user bob]\nread = counter.factAlert?, todos.todos[3].text\nact = todos.todos[3]\n[everyone]\nact = all"
    )
    let again = try read(written.text(for: Self.schema))
    #expect(again.policy == written.policy)
    #expect(again.text(for: Self.schema) == written.text(for: Self.schema))
  }

  /// A line of a file has a maximum length.
  @Test func aGatewaySpeaksForARangeOfUsers() throws {
    let text = "[gateway alice]\nusers = 3000000000-3000000099\n[user 3000000001]\nread = counter"
    let configuration = try read(text)
    #expect(configuration.policy.gateways == [1001: 3_000_000_000...3_000_000_099])
    #expect(configuration.policy.users[3_000_000_001]?.read.count == 1)
    let printed = configuration.text(for: Self.schema)
    #expect(printed.hasSuffix("\n[gateway 1001]\nusers = 3000000000-3000000099"))
    #expect(try read(printed).policy == configuration.policy)
    // A later file replaces the range.
    #expect(try read(text, "[gateway alice]\nusers = 4000000000-4000000000").policy.gateways[1001]?.count == 1)
    #expect(try read("[gateway alice]").policy.gateways.isEmpty)
  }

  @Test func aLongListIsPrintedOnSeveralLines() throws {
    let paths = (0..<40).map { "todos.todos[\($0)].isComplete" }
    let actions = (0..<40).map { "todos.todos[\($0)].textChanged" }
    let written = try read(
      "[user bob]\nread = \(paths.joined(separator: ",\n "))\nact =\n \(actions.joined(separator: "\n "))")
    let text = written.text(for: Self.schema)
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 120 })
    #expect(try read(text).policy == written.policy)
    #expect(try read(text).text(for: Self.schema) == text)
  }

  @Test(arguments: [
    (
      "[limit]\nscopes = 5",
      "0.conf:1: there is no section [limit]; the sections are [limits], [loop], [region], [user NAME], [group NAME], [everyone], [gateway NAME] and [cluster]"
    ),
    (
      "[grup x]",
      "0.conf:1: there is no section [grup x]; the sections are [limits], [loop], [region], [user NAME], [group NAME], [everyone], [gateway NAME] and [cluster]"
    ),
    (
      "scopes = 5",
      "0.conf:1: 'scopes' stands above the first section; the sections are [limits], [loop], [region], [user NAME], [group NAME], [everyone], [gateway NAME] and [cluster]"
    ),
    ("[limits]\n\nscopes = many", "0.conf:3: 'scopes' is 'many', but must be a number from 4 to 10000"),
    ("[limits]\nscopes = 0", "0.conf:2: 'scopes' is '0', but must be a number from 4 to 10000"),
    (
      "[limits]\nhello-timeout = 5",
      "0.conf:2: 'hello-timeout' is '5', but must be a time from 100ms to 600s, such as 500ms, 1.5s or 2m"
    ),
    (
      "[limits]\nhello-timeout = 500.5ms",
      "0.conf:2: 'hello-timeout' is '500.5ms', but must be a time from 100ms to 600s, such as 500ms, 1.5s or 2m"
    ),
    (
      "[limits]\nframe-bytes = 99999999999999999999G",
      "0.conf:2: 'frame-bytes' is '99999999999999999999G', but must be a number of bytes from 1K to 64M, such as 64M"
    ),
    ("[user carol]\nread = all", "0.conf:1: this machine has no user 'carol'; create it, or write its number"),
    ("[user alice]\nadmin = maybe", "0.conf:2: 'admin' is 'maybe', but must be yes or no"),
    (
      "[user alice]\nraed = all",
      "0.conf:2: there is no right 'raed'; the rights are read, act, write and admin; did you mean 'read'?"
    ),
    ("[user alice]\nread =", "0.conf:2: 'read' is empty; write the paths, or all, or none"),
    ("[user alice]\nread = all none", "0.conf:2: 'read' has 'all' among other words; write it alone"),
    ("[user alice]\nread = .", "0.conf:2: '.' is the whole; write read = all for that"),
    (
      "[user alice]\nread = cuonter",
      "0.conf:2: 'cuonter' is not a path of this hub: AppFeature.State has no field 'cuonter'; did you mean 'counter'?"
    ),
    ("\n[limits] scopes = 5", "0.conf:2: 'scopes = 5' stands after [limits]; write it on a line of its own"),
    (
      "[user alice]\nread = all\n[user 1001]\nread = none\nact = todos",
      "0.conf:3: [user 1001] is the same as [user alice], which stands in line 1 already"
    ),
    (
      "[group 51]\nread = none\n[group kitchen]\nread = all",
      "0.conf:3: [group kitchen] is the same as [group 51], which stands in line 1 already"
    ),
    (
      "[gateway alice]\nusers = 1000-2000",
      "0.conf:2: 'users' is '1000-2000', but must be FIRST-LAST, numbers from 2147483648 to 4294967293"
    ),
    (
      "[gateway alice]\nusers = 3000000001-3000000000",
      "0.conf:2: 'users' is '3000000001-3000000000', but must be FIRST-LAST, numbers from 2147483648 to 4294967293"
    ),
    ("[gateway alice]\nread = all", "0.conf:2: a gateway has no setting 'read', only users"),
    (
      "[gateway alice]\nusers = 3000000000-3000000001\n[gateway 1001]\nusers = 3000000002-3000000003",
      "0.conf:3: [gateway 1001] is the same as [gateway alice], which stands in line 1 already"
    ),
    ("[gateway carol]", "0.conf:1: this machine has no user 'carol'; create it, or write its number"),
    ("[user alice]\nread all", "0.conf:2: neither [section], key = value nor a comment"),
    (
      "[limits]\nframe-bytes = 3M\nheld-bytes-per-user = 2M",
      "0.conf:2: 'frame-bytes' is 3M, but must not be more than 'held-bytes-per-user', which is 2M: a frame of that size would close its connection"
    ),
    (
      "[limits]\nscopes = 5\nheld-bytes = 1M",
      "0.conf:3: 'frame-bytes' is 1M, but must not be more than half of 'held-bytes', which is 1M: a frame of that size would close its connection"
    ),
  ])
  func aMistakeIsNamedWithItsLineAndWhatIsAllowed(text: String, problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test func anUnknownLimitIsToldWithTheOnesThereAre() {
    let told = problems("[limits]\nconections = 3")
    #expect(told.count == 1)
    #expect(told[0].hasPrefix("0.conf:2: there is no limit 'conections'; the limits are connections, "))
    #expect(told[0].hasSuffix("did you mean 'connections'?"))
  }

  @Test func allMistakesAreFoundAtOnce() {
    let told = problems("[user carol]\nread = all\n[limits]\nscopes = x", "[everyone]\nadmin = 1")
    #expect(told.map { $0.prefix(8) } == ["0.conf:1", "0.conf:4", "1.conf:2"])
  }

  /// inih would silently cut them, and the cut name of a user may be another user's name.
  @Test func whatTheParserWouldCutIsRefused() {
    let name = String(repeating: "a", count: 60)
    #expect(
      problems("[user \(name)]\nread = all").contains { $0.contains("0.conf:1: the name of this section is longer") })
    let value = Array(repeating: "counter", count: 40).joined(separator: ", ")
    #expect(problems("[user alice]\nread = \(value)").contains { $0.contains("0.conf:2: longer than 197 bytes") })
    #expect(problems("[user alice]\nread = counter\0todos").contains { $0.contains("0.conf:2: a zero byte") })
  }

  @Test func aRightOverElementsIsWrittenLikeTheirActions() throws {
    let policy = try read("[user alice]\nact = todos.todos[1]").policy
    let path = try #require(policy.users[1001]?.act.first)
    let prefix = try #require(Self.schema.actionPrefix(of: path))
    let action = AppFeature.Action.todos(.todos(.element(id: 1, action: .textChanged("x")))).encoded()
    let other = AppFeature.Action.todos(.todos(.element(id: 2, action: .textChanged("x")))).encoded()
    #expect(action.starts(with: prefix))
    #expect(!other.starts(with: prefix))
  }

  /// A macro that alternates two fonts joins its arguments without spaces, so text on its line is run together.
  @Test func theManualPageHasNoTextBehindAMacro() throws {
    let page = try String(contentsOfFile: "docs/man/storehub.conf.5", encoding: .utf8)
    let macros = ["BR", "RB", "IR", "RI", "BI", "IB"]
    for line in page.split(separator: "\n") where macros.contains(where: { line.hasPrefix(".\($0) ") }) {
      #expect(line.replacing(/"[^"]*"/, with: "").split(separator: " ").count <= 4, "\(line)")
    }
  }

  @Test func theManualPageDescribesEveryLimit() throws {
    let page = try String(contentsOfFile: "docs/man/storehub.conf.5", encoding: .utf8)
    for limit in LimitSetting.all {
      let entry = try #require(page.components(separatedBy: ".B \(limit.name) =\n").dropFirst().first, "\(limit.name)")
      let text = try #require(entry.components(separatedBy: "\n.TP").first).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      let range = limit.allowed.replacing(/, such as.*|, or none/, with: "").replacing(/.*from/, with: "From")
      #expect(text.contains(range), "\(limit.name): \(range)")
      // The default depends on the owner for one, and is formatted for the other.
      guard !["connections-per-user", "actions-per-second"].contains(limit.name) else { continue }
      #expect(text.contains("default \(limit.value(in: HubLimits()))."), "\(limit.name)")
    }
  }
}
