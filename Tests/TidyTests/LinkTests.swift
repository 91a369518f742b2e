import Foundation
import Testing

/// Links between the documents lead to files and headings, and the files that documents and comments name exist.
@Suite struct LinkTests {
  @Test func linksOfDocumentsResolve() throws {
    for page in Self.pages() {
      for link in MarkdownPage(try Repository.text(page)).links where !link.contains("://") {
        if let problem = try Self.problem(with: link, on: page) { Issue.record("\(page): \(link) \(problem)") }
      }
    }
  }

  /// A link may name a folder, as the README does.
  @Test func linksToNothingAreFound() throws {
    #expect(try Self.problem(with: "docs/ARCHITECTURE.md#the-map", on: "README.md") == nil)
    #expect(try Self.problem(with: "../../README.md", on: "docs/decisions/README.md") == nil)
    #expect(try Self.problem(with: "docs/NOWHERE.md", on: "README.md") == "leads to no file")
    #expect(try Self.problem(with: "ARCHITECTURE.md", on: "README.md") == "leads to no file")
    #expect(try Self.problem(with: "docs/ARCHITECTURE.md#nowhere", on: "README.md") == "leads to no heading")
    #expect(try Self.problem(with: "#nowhere", on: "README.md") == "leads to no heading")
  }

  @Test func pagesAreReadAsMarkdown() {
    let page = MarkdownPage(
      """
      # The `hub`, 1 × 64: *now*
      See [one](a.md) and [two
      lines](b.md#c), not `[code](c.md)`.
      ```
      # no heading
      [block](d.md)
      ```
      ## The hub's
      ## The hub's
      ![image](e.svg)
      """)
    #expect(page.links == ["a.md", "b.md#c", "e.svg"])
    #expect(page.anchors == ["the-hub-1--64-now", "the-hubs", "the-hubs-1"])
  }

  /// Files are named by their paths, and sources also from their module on, as `Wire/Checksum.swift`.
  @Test func filesThatDocumentsNameExist() throws {
    let sources = Repository.files(below: "Sources", endingIn: ".swift")
    for page in Self.pages() {
      let isMap = page.hasPrefix("docs/decisions/") || page == "docs/ARCHITECTURE.md"
      for name in MarkdownPage(try Repository.text(page)).codeSpans {
        let isSource = isMap && name.hasSuffix(".swift") && !name.contains("*")
        guard Self.isPath(name) || isSource, !Self.exists(String(name)) else { continue }
        guard !isSource || !sources.contains(where: { $0.hasSuffix("/\(name)") }) else { continue }
        Issue.record("\(page) names \(name), which does not exist")
      }
    }
  }

  @Test func pathsAreFoundAmongCode() {
    #expect(Self.isPath("Sources/Wire") && Self.isPath("scripts/require") && Self.isPath("bench/readers.py"))
    #expect(!Self.isPath("Wire/Checksum.swift") && !Self.isPath("scripts/bench --only 1x64x100"))
    #expect(!Self.isPath("Tests/Golden/releases/VERSION"))
  }

  @Test func documentsThatCommentsNameExist() throws {
    let name = #/docs/[A-Za-z-]+\.(md|cddl)/#
    for file in Repository.files(below: "Sources", endingIn: ".swift") {
      for (number, line) in try Repository.lines(file).enumerated() where line.contains("docs/") {
        for match in line.matches(of: name) where !Self.exists(String(match.output.0)) {
          Issue.record("\(file):\(number + 1) names \(match.output.0), which does not exist")
        }
      }
    }
  }

  static func pages() -> [String] {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + Repository.files(below: "docs", endingIn: ".md")
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(Repository.root)/\(path)")
  }

  /// Returns true for a path in the repository. A part in capitals stands for any name.
  private static func isPath(_ name: Substring) -> Bool {
    let folders = ["Examples", "Sources", "Tests", "bench", "docs", "packaging", "scripts", "systemd"]
    let parts = name.split(separator: "/")
    return parts.count > 1 && folders.contains { parts[0] == $0 } && !name.contains(" ") && !name.contains("*")
      && !parts.contains { $0.allSatisfy(\.isUppercase) }
  }

  /// Returns what is wrong with a relative link, or nil.
  private static func problem(with link: String, on page: String) throws -> String? {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var target = page
    if !parts[0].isEmpty {
      let folder = URL(fileURLWithPath: "\(Repository.root)/\(page)").deletingLastPathComponent()
      let path = folder.appendingPathComponent(String(parts[0])).standardized.path
      guard FileManager.default.fileExists(atPath: path) else { return "leads to no file" }
      let root = URL(fileURLWithPath: Repository.root).standardized.path
      guard path.hasPrefix(root + "/") else { return "leads out of the repository" }
      target = String(path.dropFirst(root.count + 1))
    }
    guard parts.count > 1, target.hasSuffix(".md") else { return nil }
    return MarkdownPage(try Repository.text(target)).anchors.contains(String(parts[1])) ? nil : "leads to no heading"
  }
}

/// The links, code spans and anchors of a Markdown page, outside of its blocks of code.
private struct MarkdownPage {
  private(set) var links: [String] = []
  private(set) var codeSpans: [Substring] = []
  /// The fragments by which links name the page's headings.
  private(set) var anchors: [String] = []

  init(_ text: String) {
    var (prose, isFenced) = ("", false)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isFenced.toggle() }
      guard !isFenced, !line.hasPrefix("```"), !line.hasPrefix("    ") else { continue }
      prose += line + "\n"
      if let heading = line.firstMatch(of: #/^#+ (.*)$/#) { add(heading: heading.output.1) }
    }
    for (index, piece) in prose.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if !index.isMultiple(of: 2) { codeSpans.append(piece) }
    }
    // The text of a link may be code.
    let plain = prose.replacing(#/`[^`]*`/#, with: "")
    links = plain.matches(of: #/\[[^\]]*\]\(([^)\s]+)\)/#).map { String($0.output.1) }
  }

  /// Forms the anchor of a heading as GitHub does.
  private mutating func add(heading: Substring) {
    let kept = heading.lowercased().unicodeScalars.filter {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || " -_".unicodeScalars.contains($0)
    }
    let name = String(String.UnicodeScalarView(kept)).replacing(" ", with: "-")
    var (anchor, copies) = (name, 0)
    while anchors.contains(anchor) {
      copies += 1
      anchor = "\(name)-\(copies)"
    }
    anchors.append(anchor)
  }
}
