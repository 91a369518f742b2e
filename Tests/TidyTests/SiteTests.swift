import Foundation
import Testing

/// The checks of `make docs`, on symbols and pages that have faults.
@Suite struct SiteTests {
  private let folder = NSTemporaryDirectory() + "storehub-site-\(UUID().uuidString.prefix(8))"

  /// A module with a documented type, a case without a comment, and a name for macros.
  private static let symbols = """
    {"module": {"name": "Shop"}, "relationships": [], "symbols": [
      {"identifier": {"precise": "a"}, "pathComponents": ["Order"], "docComment": {"lines": []}},
      {"identifier": {"precise": "b"}, "pathComponents": ["Order", "paid"],
       "location": {"uri": "file:///Shop/Order.swift", "position": {"line": 3, "character": 7}}},
      {"identifier": {"precise": "c"}, "pathComponents": ["Order", "_id"]}
    ]}
    """

  @Test func aPublicNameWithoutDocumentationFails() throws {
    let found = try run("check.py", symbols: Self.symbols, diagnostics: [])
    #expect(found.status == 1)
    #expect(
      found.errors == "/Shop/Order.swift:4: Shop.Order.paid has no documentation\n1 faults in the documentation\n")
  }

  @Test func aLinkThatLeadsNowhereFails() throws {
    let symbols = Self.symbols.replacing("\"paid\"", with: "\"_paid\"")
    let missing = "'Invoice' doesn't exist at '/Shop'"
    let found = try run(
      "check.py", symbols: symbols, diagnostics: [missing, "Parameter 'fileID' is missing documentation"])
    #expect(found.status == 1 && found.errors.contains(missing) && !found.errors.contains("fileID"), "\(found)")
    #expect(try run("check.py", symbols: symbols, diagnostics: []).status == 0)
  }

  @Test func aPageThatLinksToNoHeadingFails() throws {
    func page(linkingTo anchor: String) -> String {
      """
      {"metadata": {"title": "Guide"}, "abstract": [],
       "references": {"r": {"type": "section", "title": "It", "url": "/documentation/guide#\(anchor)"}},
       "primaryContentSections": [{"kind": "content", "content": [
         {"type": "heading", "level": 2, "text": "Here", "anchor": "Here"},
         {"type": "paragraph", "inlineContent": [{"type": "reference", "identifier": "r", "isActive": true}]}]}]}
      """
    }
    let pages = "\(folder)/archive/data/documentation"
    try write(page(linkingTo: "There"), to: "\(pages)/guide.json")
    var found = try run("site.py", "\(folder)/archive", "\(folder)/site")
    #expect(found.status == 1 && found.errors.contains("/documentation/guide#There, which does not exist"), "\(found)")
    try write(page(linkingTo: "Here"), to: "\(pages)/guide.json")
    found = try run("site.py", "\(folder)/archive", "\(folder)/site")
    #expect(found.status == 0, "\(found)")
    let html = try String(contentsOfFile: "\(folder)/site/index.html", encoding: .utf8)
    #expect(html.contains("<h2 id=\"Here\">Here</h2>") && html.contains("<a href=\"index.html#Here\">It</a>"))
    try FileManager.default.removeItem(atPath: folder)
  }

  private func run(
    _ script: String, symbols: String, diagnostics: [String]
  ) throws -> (status: Int32, errors: String) {
    let list = diagnostics.map { "{\"severity\": \"warning\", \"summary\": \"\($0)\", \"source\": \"file:///a.md\"}" }
    try write(symbols, to: "\(folder)/Shop.symbols.json")
    try write("{\"diagnostics\": [\(list.joined(separator: ", "))]}", to: "\(folder)/diagnostics.json")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try run(script, folder, "\(folder)/diagnostics.json")
  }

  private func run(_ script: String, _ arguments: String...) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "\(Repository.root)/scripts/docc/\(script)"] + arguments
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
