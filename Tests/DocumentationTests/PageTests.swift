import TestSupport
import Testing

/// The Swift code on the pages of the documentation compiles.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct PageTests {
  @Test(arguments: try Compiler.blocks().filter { $0.language == "swift" && $0.options["skip"] == nil })
  func compiles(block: CodeBlock) throws {
    try Compiler.check(block, among: try Compiler.blocks())
  }

  /// New app projects isolate their declarations to the main actor by default.
  @Test(
    arguments: try Compiler.blocks().filter {
      ["README.md", "docs/TCA-COMPATIBILITY.md", "docs/TUTORIAL.md"].contains($0.page) && $0.language == "swift"
        && $0.options["skip"] == nil
    })
  func compilesInAModuleOfTheMainActor(block: CodeBlock) throws {
    try Compiler.check(block, among: try Compiler.blocks(), settings: ["-default-isolation", "MainActor"])
  }

  @Test func swiftIsMarkedAsSwift() throws {
    for block in try Compiler.blocks() where block.language != "swift" && block.looksLikeSwift {
      Issue.record("\(block.testDescription) looks like Swift and is not fenced as swift")
    }
  }

  @Test func aBlockThatDoesNotCompileIsFound() throws {
    let page = "text\n\n<!-- code: given=number: Int -->\n```swift\nlet text: String = number\nprint(text)\n```\n"
    let block = try #require(CodeBlock.blocks(of: page, page: "page.md").first)
    let error = #expect(throws: Compiler.Failure.self) { try Compiler.check(block, among: [block]) }
    #expect(error?.description.contains("page.md:5") == true)
  }

  @Test func blocksAreReadWithTheirOptions() {
    let page = """
      # Title
          no code: it continues a paragraph

          make run

      <!-- code: name=a; needs=b c; imports=Wire -->
      ```swift
      let a = 1

      let b = 2
      ```
      ```
      plain
      ```
      """
    let blocks = CodeBlock.blocks(of: page, page: "p.md")
    #expect(blocks.map(\.line) == [4, 8, 13])
    #expect(blocks.map(\.language) == [nil, "swift", ""])
    #expect(blocks[0].text == "make run")
    #expect(blocks[1].options == ["name": "a", "needs": "b c", "imports": "Wire"])
    #expect(blocks[1].needs == ["b", "c"])
    #expect(blocks[1].text == "let a = 1\n\nlet b = 2")
    #expect(blocks[1].looksLikeSwift && !blocks[0].looksLikeSwift)
  }
}
