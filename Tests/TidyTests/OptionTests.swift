import Foundation
import Testing

/// The options of programs that documents name are in the programs' manual pages, which are made of their `--help`.
@Suite struct OptionTests {
  @Test func optionsThatDocumentsNameExist() throws {
    let manuals = try Self.manuals()
    #expect(manuals["storectl"]?.contains("--state-dir") == true && manuals["storehubd"]?.contains("--mode") == true)
    for page in LinkTests.pages() where page != "CHANGELOG.md" {
      for (number, line) in try Repository.lines(page).enumerated() {
        for (program, option) in Self.options(in: line, of: manuals.keys) {
          guard manuals[program]?.contains(option) == false else { continue }
          Issue.record("\(page):\(number + 1) names \(option), which \(program) does not have")
        }
      }
    }
  }

  @Test func optionsAreThoseOfTheProgramBeforeThem() {
    func options(_ line: Substring) -> [String] {
      Self.options(in: line, of: ["storehubd", "storeload"]).map { "\($0.program) \($0.option)" }
    }
    #expect(
      options("storehubd --state-dir a & storeload -c 1 --depth 4") == ["storehubd --state-dir", "storeload --depth"])
    #expect(options("`storehubd --mode 660` and `--port`; swift build --product storeload") == ["storehubd --mode"])
    #expect(options("mystorehubd --other; /usr/bin/storehubd --config=x") == ["storehubd --config"])
  }

  /// The options in each program's manual page.
  private static func manuals() throws -> [String: Set<String>] {
    var manuals: [String: Set<String>] = [:]
    for page in Repository.files(below: "docs/man", endingIn: ".1")
      + Repository.files(below: "docs/man", endingIn: ".8")
    {
      let text = try Repository.text(page).replacing("\\-", with: "-")
      let name = URL(fileURLWithPath: page).deletingPathExtension().lastPathComponent
      manuals[name] = Set(text.matches(of: #/--[a-z][a-z-]*/#).map { String($0.output) })
    }
    return manuals
  }

  /// The options on a line, each with the program whose command it is in.
  private static func options(
    in line: Substring, of programs: some Collection<String>
  ) -> [(program: String, option: String)] {
    line.split { "`|&;#()".contains($0) }.flatMap { command in
      let words = command.split(separator: " ").map(String.init)
      guard let index = words.firstIndex(where: { programs.contains(URL(fileURLWithPath: $0).lastPathComponent) })
      else {
        return [] as [(program: String, option: String)]
      }
      let program = URL(fileURLWithPath: words[index]).lastPathComponent
      return words[(index + 1)...].compactMap { word in
        word.firstMatch(of: #/^--[a-z][a-z-]*/#).map { (program, String($0.output)) }
      }
    }
  }
}
