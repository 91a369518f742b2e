import Configuration
import Features
import Foundation
import HubCore
import Testing
import Wire

/// An operator sees all mistakes in one run: none hides the next.
@Suite struct AllMistakesTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private static let users = UserDatabase(user: { ["alice": 1001][$0] }, group: { _ in nil })

  /// Returns the lines and the beginnings of the problems of some files.
  private func problems(_ texts: String...) -> [String] {
    do throws(ConfigurationError) {
      var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
      let files = texts.enumerated().map { (file: "\($0)", text: $1) }
      try configuration.read(files, schema: Self.schema, users: Self.users)
      return []
    } catch {
      return error.problems.map { String($0.description.prefix(18)) }
    }
  }

  @Test func everyLineThatCannotBeParsedIsNamed() {
    let long = String(repeating: "x", count: 200)
    #expect(
      problems("[limits]\nscopes\n\(long)\n  scopes = 3\nsessions = none\n[everyone] x\nnot a value\n[open\nadmin = 1")
        == [
          "0:2: neither [sect", "0:3: longer than 1", "0:5: 'sessions' is", "0:6: 'x' stands af", "0:7: neither [sect",
          "0:8: neither [sect", "0:9: 'admin' is '1",
        ])
    #expect(
      problems("[limits]\nscopes\0 = 5\nscopes = 0\n[limits\n[x", "y") == [
        "0:2: a zero byte", "0:3: 'scopes' is '", "0:4: neither [sect", "0:5: neither [sect", "1:1: neither [sect",
      ])
  }

  /// The settings of a section whose name is wrong are checked too, as far as their keys are known.
  @Test func aWrongSectionDoesNotHideItsSettings() {
    #expect(
      problems("[user carol]\nread = conter\nadmin = 1\nraed = all\n[limit]\nscopes = 0\n[usr alice]\nact = todo")
        == [
          "0:1: this machine ", "0:2: 'conter' is n", "0:3: 'admin' is '1", "0:5: there is no s", "0:6: 'scopes' is '",
          "0:7: there is no s", "0:8: 'todo' is not",
        ])
    #expect(problems("scopes = 0\n[limits]\nscopes = 1") == ["0:1: 'scopes' stan", "0:3: 'scopes' is '"])
    #expect(
      problems("[user alice]\nread = a, counter, b\nact = .") == [
        "0:2: 'a' is not a ", "0:2: 'b' is not a ", "0:3: '.' is the wh",
      ])
    let name = String(repeating: "a", count: 60)
    #expect(problems("[user \(name)]\nread = b\n[limits]\nscopes = 0") == ["0:1: the name of t", "0:4: 'scopes' is '"])
  }

  @Test func aFileThatCannotBeReadDoesNotHideTheOthers() throws {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory + "/hub.conf.d", withIntermediateDirectories: true)
    try Data([0xff]).write(to: URL(fileURLWithPath: directory + "/hub.conf.d/1.conf"))
    try Data("[limits]\nscopes = 0".utf8).write(to: URL(fileURLWithPath: directory + "/hub.conf.d/2.conf"))
    var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
    let error = #expect(throws: ConfigurationError.self) {
      try configuration.read(directory + "/hub.conf", schema: Self.schema, users: Self.users)
    }
    let texts = error?.problems.map { $0.description.replacing(directory + "/hub.conf", with: "F") } ?? []
    #expect(texts.count == 3)
    #expect(texts.first == "F: cannot be opened: No such file or directory")
    #expect(texts.dropFirst().first == "F.d/1.conf: is not UTF-8 text")
    #expect(texts.last?.hasPrefix("F.d/2.conf:2: 'scopes' is '0'") == true)
  }

  // MARK: The shipped file

  /// The shipped file with its settings: `#` stands right before them, and `# ` before text.
  private static func uncommented() throws -> String {
    let text = try String(contentsOfFile: "systemd/hub.conf", encoding: .utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.wholeMatch(of: /#([a-z\[].*)/).map { String($0.1) } ?? String($0) }.joined(separator: "\n")
  }

  @Test func theShippedFileChangesNothing() throws {
    let text = try String(contentsOfFile: "systemd/hub.conf", encoding: .utf8)
    let defaults = try OperatorConfiguration(owner: 7, users: Self.users)
    var configuration = defaults
    try configuration.read([(file: "hub.conf", text: text)], schema: Self.schema, users: Self.users)
    #expect(configuration.text(for: Self.schema) == defaults.text(for: Self.schema))
    #expect(configuration.limitsInFiles.isEmpty)
  }

  @Test func theShippedFileHasEveryLimitWithItsDefault() throws {
    var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
    configuration.limits.stateBytes = 1 << 30
    let users = UserDatabase(user: { ["alice": 1001][$0] }, group: { ["kitchen": 51][$0] })
    try configuration.read([(file: "hub.conf", text: Self.uncommented())], schema: Self.schema, users: users)
    #expect(configuration.limitsInFiles == Set(LimitSetting.all.map(\.name)))
    for limit in LimitSetting.all where limit.name != "connections-per-user" {
      #expect(limit.value(in: configuration.limits) == limit.value(in: HubLimits()), "\(limit.name)")
    }
    // Of a hub that other users may connect to, as the shipped units permit.
    #expect(configuration.limits.connectionsPerUser == 3584)
    #expect(Set(configuration.policy.users.keys).isSuperset(of: [1001]) && configuration.policy.groups[51] != nil)
    #expect(configuration.policy.everyone == AccessGrant())
  }

  /// Each limit is described with its permitted values, which have their units.
  @Test func theShippedFileSaysWhatIsPermitted() throws {
    let text = try String(contentsOfFile: "systemd/hub.conf", encoding: .utf8)
    for limit in LimitSetting.all {
      let entry = try #require(text.components(separatedBy: "\n#\(limit.name) =").first, "\(limit.name)")
      let comment = try #require(entry.components(separatedBy: "\n\n").last, "\(limit.name)")
        .replacing("\n# ", with: " ")
      let range = limit.allowed.replacing(/, such as.*|, or none/, with: "").replacing(/.*from/, with: "From")
      #expect(comment.contains(range), "\(limit.name): \(range) is not in \(comment)")
    }
  }
}
