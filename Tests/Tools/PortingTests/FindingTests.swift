import Testing

@testable import Porting

/// What is left to a person.
@Suite struct FindingTests {
  private static let types = """
    import ComposableArchitecture
    import Elsewhere
    final class Session { var id = 0 }
    protocol Shape {}
    private struct Hidden {}
    """

  private static func feature(_ members: String, action: String = "") -> String {
    """
    \(types)
    @Reducer
    struct Feature {
      struct State {
        \(members)
      }
      enum Action {
        \(action)
      }
      var body: some ReducerOf<Self> { EmptyReducer() }
    }
    """
  }

  /// A field of a state, with a part of the finding.
  private static let fields = [
    ("var run: () -> Void = {}", "its value cannot be replicated: it is a function"),
    ("var pair: (Int, Int) = (1, 2)", "its value cannot be replicated: it is a tuple"),
    ("var value: any Sendable = 1", "its type is known at run time only"),
    ("var session = Session()", "'Session' is a class, and its objects exist in one process; use a struct"),
    ("var shapes: [Shape] = []", "'Shape' is a protocol, whose values have no bytes"),
    ("var path = NavigationPath()", "'NavigationPath' is not replicated: it erases the types of its elements"),
    ("var size: CGSize?", "'CGSize' is not replicated: use a struct of two 'Double's"),
    ("var other: Elsewhere.Token?", "'Elsewhere.Token' is a type of another module"),
    ("let version = 1", "'let version' has its value already"),
    ("lazy var slow = 1", "a lazy field has no value until somebody asks"),
    ("@Shared(.inMemory(\"a\")) var shared = 0", "'shared' is '@Shared', whose value is in this process or in a file"),
    ("@Dependency(\\.date) var date", "a dependency is no part of the state"),
    ("#if DEBUG\n    var debug = 0\n    #endif", "a field within '#if' cannot be replicated"),
    ("var hidden: Hidden?", "'Hidden' must be visible to the hub and its clients, and is 'private': make it 'public'"),
    ("@Presents var sheet: AlertState<Never>?", "'sheet' is presented to everybody at once"),
    ("var path = StackState<Int>()", "'path' is everybody's path in a hub"),
    ("var page: Page<Int>", "'Page' is generic: if its parameters are, write 'Sendable' too"),
  ]

  @Test(arguments: fields)
  func aFieldIsReportedAtItsLine(field: String, message: String) throws {
    let more = field.contains("Page") ? "\nstruct Page<Item> { var item: Item }" : ""
    let result = try ported(Self.feature(field) + more)
    let found = result.findings.filter { $0.message.contains(message) }
    #expect(found.count == 1, "\(result.findings.map(\.text))")
    let line =
      message.contains("generic") ? 16 : message.contains("must be visible") ? 5 : field.hasPrefix("#if") ? 10 : 9
    #expect(found.first?.line == line)
  }

  @Test(arguments: [
    ("case loaded([any Error])", "'Error' is not replicated: outside of a payload 'Result', an error of any type"),
    ("case started(Shared<Int>)", "'Shared' is not replicated: a reference to a value of this process"),
    ("#if DEBUG\n    case debug\n    #endif", "cases within '#if' cannot be replicated"),
  ])
  func aPayloadIsReported(payload: String, message: String) throws {
    let found = try ported(Self.feature("", action: payload)).findings
    #expect(found.count { $0.kind == .left && $0.message.contains(message) } == 1, "\(found.map(\.text))")
  }

  @Test func resultsAndPositionsArePayloads() throws {
    let action = "case loaded(Result<String, any Error>), done(TaskResult<Int>), deleted(IndexSet)"
    let result = try ported(Self.feature("", action: action))
    #expect(result.findings.map(\.kind) == [.note])
    #expect(result.findings.first?.message.hasPrefix("positions that one client sees may be others in the hub") == true)
    #expect(result.text.contains("\nimport Elsewhere\nimport ReplicatedFoundation\n"))
  }

  @Test func clientsOfTheDaemonAreNoted() throws {
    let source = Self.feature("").replacing(
      "  var body:", with: "  @Dependency(\\.speech) var speech\n  @Dependency(\\.date.now) var now\n  var body:")
    let found = try ported(source).findings
    #expect(
      found.map(\.message) == [
        "'\\.speech' is used by the hub, with the live value in its process: give it one there, or keep its effects in a client"
      ])
  }

  @Test func aFeatureBelowAnEnumThatHoldsItIsReported() throws {
    let source = """
      import ComposableArchitecture
      @Reducer enum Path { case leaf(Leaf) }
      @Reducer struct Leaf {
        struct State {}
        enum Action {}
        var body: some ReducerOf<Self> { EmptyReducer() }
      }
      """
    let found = try ported(source).findings
    #expect(found.map(\.line) == [3])
    #expect(
      found.first?.message.contains("declared below 'Path' in the same file, at which Swift 6.3 may crash") == true)
  }

  @Test func parametersOfFeaturesMustBeReplicated() throws {
    func found(_ parameters: String) throws -> [String] {
      try ported(Self.feature("").replacing("struct Feature", with: "struct Feature\(parameters)")).findings.map(\.text)
    }
    #expect(try found("<A: Sendable & Replicated>") == [])
    #expect(
      try found("<A: Sendable, B: Replicated & Sendable>") == [
        "Feature.swift:7: left: 'Feature' is generic: let 'A' be 'Replicated' too"
      ])
  }

  @Test func sharedValuesWithoutTypesStayInternal() throws {
    let result = try ported(Self.feature("@Shared(.meetings) var meetings"))
    #expect(result.text.contains("    @Shared(.meetings) var meetings\n"))
    #expect(result.findings.count == 1)
  }

  @Test func omittedFieldsAreNotFollowed() throws {
    let result = try ported(Self.feature("@Replicated(omit) var session: URLSession?"))
    #expect(result.findings == [])
  }

  @Test func linesAreThoseOfTheChangedSource() throws {
    let result = try ported(Self.feature("var run: () -> Void = {}"))
    let line = try #require(result.port.findingsAfterwards.first?.line)
    #expect(result.port.findings.first?.line == 9)
    #expect(result.text.split(separator: "\n", omittingEmptySubsequences: false)[line - 1].contains("var run"))
  }

  @Test func aTypeWithAFunctionIsNotSendable() throws {
    let text = try ported(Self.feature("var inner = Inner()") + "\nstruct Inner { var run: () -> Void = {} }").text
    #expect(text.contains("public struct Inner {") && text.contains("public struct State {"))
  }

  @Test func filesThatTheParserDoesNotUnderstandAreLeft() throws {
    let broken = "struct Broken {\n  var a: Int = \n"
    let result = try ported([("Broken.swift", broken), ("Feature.swift", Self.feature("var broken: Broken?"))])
    #expect(result.texts["Broken.swift"] == nil)
    #expect(result.findings.first?.text == "Broken.swift: left: the file has syntax errors, so that it was not read")
    #expect(result.texts["Feature.swift"]?.contains("public struct Feature") == true)
  }

  @Test(arguments: [
    "typealias A = B\ntypealias B = A\n", "typealias A = A.A\n", "struct A { var a: A? }\n",
    "enum A { indirect case a(A) }\n", "extension Unknown.A { struct A {} }\n", "struct A<A> { var a: A }\n",
  ])
  func circlesAndClashesOfNamesEnd(types: String) throws {
    _ = try ported(Self.feature("var a: A?") + "\n" + types)
  }
}
