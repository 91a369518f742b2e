import Testing

/// The version is in one place, the changelog knows it, and what each released version says on the wire is kept.
@Suite struct ReleaseTests {
  private static let source = "Sources/System/ProgramOptions/Version.swift"

  /// The versions in the headings of the changelog, the newest first.
  private static func releases() throws -> [String] {
    try Repository.lines("CHANGELOG.md").compactMap { line in
      guard line.hasPrefix("## ["), let end = line.firstIndex(of: "]") else { return nil }
      return String(line[..<end].dropFirst(4))
    }
  }

  private static func version() throws -> String {
    let line = try #require(try Repository.lines(source).first { $0.contains("storeHubVersion = ") })
    return String(try #require(line.split(separator: "\"").dropFirst().first))
  }

  @Test func theChangelogBeginsWithWhatIsUnreleasedAndThisVersion() throws {
    #expect(try Self.releases().prefix(2) == ["Unreleased", try Self.version()])
  }

  @Test func eachVersionHasItsTranscriptsUnlessItNoLongerWorks() throws {
    let kept = try Repository.folders(in: "Tests/Golden/releases")
    let releases = try Self.releases()
    for version in kept { #expect(releases.contains(version), "CHANGELOG.md does not have \(version)") }
    #expect(kept.contains(try Self.version()), "scripts/freeze-release keeps the files of a release")
  }

  @Test func noOtherFileHasTheVersion() throws {
    let literal = "\"\(try Self.version())\""
    for file in Repository.files(below: "Sources", endingIn: ".swift") where file != Self.source {
      #expect(try !Repository.text(file).contains(literal), "\(file) has the version \(literal)")
    }
  }
}
