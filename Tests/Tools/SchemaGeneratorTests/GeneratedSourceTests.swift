import Features
import Foundation
import ReplicatedArchitecture
import SchemaGenerator
import TestSupport
import Testing
import Wire

/// Sources that are generated from a schema with every kind of type, compared with files that compilers and type
/// checkers of their languages accept.
struct GeneratedSourceTests {
  static let schema = Schema(state: Everything.State.self, action: Everything.Action.self)
  static let documentation = SchemaDocumentation(state: Everything.State.self, action: Everything.Action.self)

  private func text(_ language: GeneratedLanguage) throws -> String {
    try generatedSource(of: Self.schema, documentation: Self.documentation, in: language)
  }

  private func check(_ text: String, _ path: String) throws {
    let file = RepositoryFiles.url(path)
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      return try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let golden = try String(contentsOf: file, encoding: .utf8)
    #expect(golden == text, "\(path) is not what is generated: run with STOREHUB_GOLDEN=write")
  }

  @Test func pythonIsThatOfTheGoldenFile() throws { try check(text(.python), "Tests/Golden/generated/everything.py") }

  @Test func typeScriptIsThatOfTheGoldenFile() throws {
    try check(text(.typescript), "Tests/Golden/generated/everything.ts")
  }

  /// This target compiles the file.
  @Test func swiftIsThatOfThisTarget() throws {
    try check(text(.swift), "Tests/Tools/SchemaGeneratorTests/Generated/Everything+Generated.swift")
  }

  /// The feature of `storehubd`, which the tests of the Python client use with a hub.
  @Test func theSampleFeatureInPythonIsThatOfItsGoldenFile() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    let documentation = SchemaDocumentation(state: AppFeature.State.self, action: AppFeature.Action.self)
    try check(
      generatedSource(of: schema, documentation: documentation, in: .python), "clients/python/tests/generated/app.py")
  }

  @Test func theHeadHasTheFingerprint() throws {
    for language in GeneratedLanguage.allCases {
      #expect(try text(language).split(separator: "\n")[1].contains("fingerprint: \(Self.schema.fingerprint)"))
    }
  }

  @Test func theSameSchemaGivesTheSameText() throws {
    for language in GeneratedLanguage.allCases { #expect(try text(language) == text(language)) }
  }

  /// Swift would have to know the type, which only the feature's package has.
  @Test func anOpaqueTypeHasNoFormInSwift() throws {
    var schema = Schema(state: Int.self, action: Bool.self)
    schema.definitions = [
      .init(
        name: "State",
        content: .fields([.init(key: 0, name: "secret", type: .named("opaque", [.named("Secret")]), hasDefault: false)])
      )
    ]
    schema.state = .definition(0)
    let error = #expect(throws: GenerationError.self) { try generatedSource(of: schema, in: .swift) }
    #expect(error?.description.contains("what Secret is in Swift (State.secret)") == true)
    for language in [GeneratedLanguage.python, .typescript] {
      #expect(try generatedSource(of: schema, in: language).contains(language == .python ? "_storehub.Item" : "Opaque"))
    }
  }

  /// A program in Swift maps schemas; the clients in other languages take that of the hub.
  @Test func formerNamesAreWrittenInSwift() throws {
    var schema = Schema(state: Int.self, action: Bool.self)
    schema.definitions = [
      .init(
        name: "State",
        content: .fields([
          .init(key: 0, name: "total", type: .named("Int"), hasDefault: false, formerNames: ["count", "a \"b\""])
        ])),
      .init(name: "Action", content: .cases([.init(key: 0, name: "added", payload: [], formerNames: ["add"])])),
    ]
    (schema.state, schema.action) = (.definition(0), .definition(1))
    let source = try generatedSource(of: schema, in: .swift)
    let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    for (mark, line) in [
      (#"@Replicated(was: "count", "a \"b\"")"#, "@ReplicatedKey(0) var total: Int"),
      (#"@Replicated(was: "add")"#, "@ReplicatedKey(0) case added"),
    ] {
      let index = try #require(lines.firstIndex(of: mark), "\(source)")
      #expect(lines[index + 1] == line)
    }
    for language in [GeneratedLanguage.python, .typescript] {
      let plain = try generatedSource(of: schema.withoutFormerNames, in: language)
      #expect(try generatedSource(of: schema, in: language) == plain)
    }
  }

  @Test func namesThatAreNoIdentifiersAreChangedOrQuoted() throws {
    var schema = Schema(state: Int.self, action: Bool.self)
    schema.definitions = [
      .init(
        name: "1st \"State\"",
        content: .fields([
          .init(key: 0, name: "a name", type: .named("Int"), hasDefault: false),
          .init(key: 1, name: "aName", type: .named("Int"), hasDefault: false),
          .init(key: 2, name: "größe\u{202E}", type: .named("Int"), hasDefault: false),
        ])),
      .init(name: "1st State", content: .cases([])),
    ]
    (schema.state, schema.action) = (.definition(0), .definition(1))
    let python = try generatedSource(of: schema, in: .python)
    for line in [
      "class N1stState:", "    a_name: int", "    a_name2: int", "    größe: int", "N1stState2: _typing.TypeAlias",
    ] {
      #expect(python.contains(line), "\(line)")
    }
    #expect(try generatedSource(of: schema, in: .typescript).contains("readonly \"a name\": bigint;"))
    #expect(try generatedSource(of: schema, in: .swift).contains("var `a name`: Int"))
  }
}
