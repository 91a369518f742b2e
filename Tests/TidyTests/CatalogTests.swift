import Testing

/// The catalogs of the API reference, as far as they can be checked without the symbols; `make docs` checks the rest.
@Suite struct CatalogTests {
  private static let modules = [
    "AsyncClient", "ComposableArchitecture", "ComposableTesting", "ReplicatedArchitecture", "StoreClient", "StoreHub",
    "TerminalApp", "TerminalUI", "Wire",
  ]

  private static func catalogs() -> [String] {
    Repository.files(below: "Sources", endingIn: ".md").filter { $0.contains(".docc/") }
  }

  @Test func eachOfTheMainLibrariesHasAFirstPage() throws {
    let folders = try Modules().folders
    let expected = try Self.modules.map { module in
      let folder = try #require(folders[module])
      return "\(folder)/\(module).docc/\(module).md"
    }
    #expect(Self.catalogs() == expected.sorted())
    for (module, page) in zip(Self.modules, expected) {
      #expect(try Repository.lines(page).first == "# ``\(module)``", "\(page)")
    }
  }

  @Test func theirArticlesAreDocuments() throws {
    for page in Self.catalogs() {
      for match in try Repository.text(page).matches(of: #/<doc:([^>#]+)[^>]*>/#) {
        let document = "docs/\(match.output.1).md"
        #expect((try? Repository.text(document)) != nil, "\(page) links to \(document), which does not exist")
      }
    }
  }

  /// Otherwise the site would not show it.
  @Test func eachDocumentIsAnArticle() throws {
    let script = try Repository.text("scripts/docc/catalog.py")
    for document in Repository.files(below: "docs", endingIn: ".md") where !document.hasPrefix("docs/decisions/0") {
      #expect(script.contains("\"\(document)\""), "GROUPS in scripts/docc/catalog.py lacks \(document)")
    }
  }
}
