import Foundation
import TestSupport
import Testing

/// Checks `docs/TCA-COMPATIBILITY.md` as far as a program can.
@Suite struct CompatibilityTableTests {
  private func rows() throws -> [[String]] {
    let text = try String(contentsOf: RepositoryFiles.url("docs/TCA-COMPATIBILITY.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("|") && !$0.hasPrefix("|---") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.first != "feature" }
  }

  @Test func everyRowSaysHowItStands() throws {
    let rows = try rows()
    #expect(rows.count > 50)
    for row in rows {
      let status = try #require(row.dropFirst().first)
      #expect(["yes", "differs", "no"].contains { status.hasPrefix($0) }, "\(row)")
      // A difference is described.
      #expect(!status.hasPrefix("differs") || status.hasPrefix("differs: "), "\(row)")
    }
  }

  @Test func everyPromiseIsProvedByASuiteThatIsThere() throws {
    // The table leaves out the group of a test module.
    let tests = try FileManager.default.subpathsOfDirectory(atPath: RepositoryFiles.path("Tests")).map { "/" + $0 }
    for row in try rows() where row[1].hasPrefix("yes") || row[1].hasPrefix("differs") {
      let proof = try #require(row.dropFirst(2).first, "\(row)").trimmingCharacters(in: ["`"])
      #expect(tests.contains { $0.hasSuffix("/" + proof) }, "\(row)")
    }
  }
}
