import Testing

/// Commits since the rules were introduced have short, complete subjects and a linear history.
@Suite struct CommitTests {
  static let rulesBegin = "2910e84"

  @Test func subjectsAreShortAndFinished() throws {
    // There is nothing to check in an archive, or in a clone too shallow to contain the first such commit.
    guard let log = Repository.git("log", "--format=%h %s", "\(Self.rulesBegin)..HEAD") else { return }
    for line in log.split(separator: "\n") {
      let subject = line.drop { $0 != " " }.dropFirst()
      for fault in Self.faults(in: subject) { Issue.record("\(line): \(fault)") }
    }
  }

  @Test func noCommitIsAMerge() throws {
    guard let merges = Repository.git("rev-list", "--merges", "\(Self.rulesBegin)..HEAD") else { return }
    for commit in merges.split(separator: "\n") { Issue.record("\(commit) is a merge: rebase instead") }
  }

  @Test func faultsAreFound() {
    #expect(Self.faults(in: "StoreClient: release the socket when closed from a callback").isEmpty)
    #expect(Self.faults(in: "wip")[0].contains("work in progress"))
    #expect(Self.faults(in: "WIP: slices")[0].contains("work in progress"))
    #expect(Self.faults(in: "fixup! Wire: check lengths")[0].contains("work in progress"))
    #expect(Self.faults(in: "Wire: check lengths.")[0].contains("full stop"))
    #expect(Self.faults(in: Substring(repeating: "x", count: 73))[0].contains("73 characters"))
  }

  static func faults(in subject: Substring) -> [String] {
    var faults: [String] = []
    if subject.count > 72 { faults.append("the subject has \(subject.count) characters, and 72 are the limit") }
    let words = subject.lowercased().split { !$0.isLetter }
    if words.first == "wip" || ["fixup!", "squash!", "amend!"].contains(where: { subject.hasPrefix($0) }) {
      faults.append("the subject is that of work in progress")
    }
    if subject.hasSuffix(".") { faults.append("the subject ends with a full stop") }
    return faults
  }
}
