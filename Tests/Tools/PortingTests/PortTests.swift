import Testing

@testable import Porting

/// The changes to single files.
@Suite struct PortTests {
  /// A feature around some members of its state.
  private static func feature(_ members: String, action: String = "case tapped") -> String {
    """
    import ComposableArchitecture

    @Reducer
    struct Feature {
      struct State {
        \(members)
      }
      enum Action { \(action) }
      var body: some ReducerOf<Self> { EmptyReducer() }
    }
    """
  }

  @Test func aFeatureIsMarkedAndMadePublic() throws {
    let result = try ported(Self.feature("var count = 0"))
    #expect(
      result.text == """
        import ComposableArchitecture
        import ReplicatedArchitecture

        @Reducer
        public struct Feature: Sendable {
          @Replicated
          public struct State: Sendable {
            public var count = 0

            public init(count: Int = 0) {
              self.count = count
            }
          }
          @Replicated
          public enum Action: Sendable { case tapped }

          public init() {}

          public var body: some ReducerOf<Self> { EmptyReducer() }
        }
        """)
    #expect(result.findings == [])
  }

  @Test func aProgramsFeaturesAreMarkedAndNotMadePublic() throws {
    let result = try ported(Self.feature("var count = 0"), kind: .executable)
    #expect(!result.text.contains("public") && !result.text.contains("Sendable") && !result.text.contains("init"))
    #expect(result.text.contains("  @Replicated\n  struct State {"))
    #expect(result.findings.map(\.text).contains { $0.contains("move them to a library target") })
  }

  @Test func formsOfSourceAreKept() throws {
    let source = """
      import ComposableArchitecture  // first

      @Reducer struct Feature { // a feature
      \tstruct State { var a = 1; var b: Int? /* b */ }
      \tenum Action { case a(Empty) /* a */ }
      \t/* before the body */ var body: some ReducerOf<Self> { EmptyReducer() }
      }
      struct Empty {}
      """
    let expected = """
      import ComposableArchitecture  // first
      import ReplicatedArchitecture

      @Reducer public struct Feature: Sendable { // a feature
      \t@Replicated
      \tpublic struct State: Sendable { public var a = 1; public var b: Int?

      \t\tpublic init(a: Int = 1, b: Int? = nil) {
      \t\t  self.a = a
      \t\t  self.b = b
      \t\t}
      \t/* b */ }
      \t@Replicated
      \tpublic enum Action: Sendable { case a(Empty) /* a */ }

      \tpublic init() {}

      \t/* before the body */ public var body: some ReducerOf<Self> { EmptyReducer() }
      }
      @Replicated
      public struct Empty: Sendable {
        public init() {}
      }
      """
    let result = try ported(source)
    #expect(result.text.replacing("\t\t  ", with: "\t\t\t") == expected.replacing("\t\t  ", with: "\t\t\t"))
  }

  @Test func lineBreaksOfAnotherSystemAreKept() throws {
    let source = Self.feature("var count = 0").replacing("\n", with: "\r\n")
    let text = try ported(source).text
    #expect(text.replacing("\r\n", with: "").contains("\n") == false)
    #expect(text.replacing("\r\n", with: "\n") == (try ported(Self.feature("var count = 0")).text))
  }

  @Test func whatIsThereIsNotAddedAgain() throws {
    let source = """
      public import ReplicatedArchitecture

      @Reducer
      public struct Feature: Sendable {
        @ObservableState @Replicated
        public struct State: Equatable, Sendable {
          public var color = Color.red
          var secret = 0
          public init() {}
        }
        @Replicated public enum Action: Sendable { case tapped }
        public init() {}
        public var body: some ReducerOf<Self> { EmptyReducer() }
      }
      public enum Color: String, Sendable { case red }
      extension Color: Replicated {}
      """
    #expect(try ported(source).text == source)
  }

  @Test func theImportStandsBelowAHeader() throws {
    let other = "// Header.\n//\n\n/// A stage.\nenum Stage { case one }\n"
    let result = try ported([("Feature.swift", Self.feature("var stage = Stage.one")), ("Stage.swift", other)])
    #expect(
      result.texts["Stage.swift"] == """
        // Header.
        //

        import ReplicatedArchitecture

        /// A stage.
        @Replicated
        public enum Stage: Sendable { case one }

        """)
  }

  @Test func importsThatAreInternalArePublicForTheMarks() throws {
    var package = PackageModel(files: [("Feature.swift", Self.feature("var count = 0"))])
    package.targets[0].importsAreInternal = true
    #expect(try Ported(package).text.contains("\npublic import ReplicatedArchitecture\n"))
  }

  @Test func featuresInCasesGetSendableParts() throws {
    func marked(_ attribute: String, _ rest: String = "") throws -> String? {
      let source = "import ComposableArchitecture\n\(attribute)\nenum Path { case a(AlertState<Never>) }\n\(rest)"
      let lines = try ported(source).text.split(separator: "\n")
      return lines.first { $0.hasPrefix("@Reducer") }.map(String.init)
    }
    #expect(try marked("@Reducer") == "@Reducer(state: .sendable, action: .sendable) @Replicated")
    #expect(
      try marked("@Reducer(state: .equatable)")
        == "@Reducer(state: .equatable, .sendable, action: .sendable) @Replicated")
    #expect(
      try marked("@Reducer(action: .equatable, .sendable)")
        == "@Reducer(state: .sendable, action: .equatable, .sendable) @Replicated")
    #expect(
      try marked("@Reducer", "extension Path.State: Equatable, Sendable {}")
        == "@Reducer(action: .sendable) @Replicated")
  }

  @Test func aModelAloneIsPorted() throws {
    let source = """
      import Foundation
      struct Item: Identifiable {
        let id: UUID
        var tags: [Tag] = []
      }
      struct Tag { var name: String }
      struct Other {}
      """
    let result = try ported(source, beginningWith: ["Item"])
    #expect(result.text.contains("import Foundation\nimport ReplicatedArchitecture\n@Replicated\npublic struct Item"))
    #expect(result.text.contains("@Replicated\npublic struct Tag: Sendable"))
    #expect(result.text.contains("\nstruct Other {}"))
    #expect(throws: Port.Failure.noFeatures) { try ported(source) }
    #expect(throws: Port.Failure.noType(named: "Items")) { try ported(source, beginningWith: ["Items"]) }
  }

  @Test func initializersOfOtherFormsAreLeft() throws {
    let cases = [
      ("@Wrapped var count: Int", "'count' has a property wrapper that the tool does not know"),
      ("private var count: Int", "'count' is private"),
      ("var (a, b): (Int, Int)", "a field has several names"),
    ]
    for (field, reason) in cases {
      let result = try ported(Self.feature(field))
      #expect(!result.text.contains("init(count"))
      #expect(result.findings.contains { $0.message == "'Feature.State' needs a 'public init' by hand: \(reason)" })
    }
    let optional = try ported(Self.feature("#if DEBUG\n    var count: Int\n    #endif"))
    #expect(optional.findings.contains { $0.message.contains("write its 'public init'") })
  }

  @Test func fieldsThatNeedNoArgumentAreLeftOut() throws {
    let fields = """
      @Shared(.inMemory("a")) var a = 0
          @Shared var b: Int
          @Dependency(\\.uuid) var c
          private var d = 0
          var e = compute()
          let f: @Sendable () -> Void
          static var g = 0
      """
    let text = try ported(Self.feature(fields)).text
    #expect(text.contains("public init(b: Shared<Int>, f: @escaping @Sendable () -> Void) {\n"))
    #expect(text.contains("self._b = b\n"))
  }

  /// An app that was written for another platform depends on the original architecture.
  @Test func thePackageMustDependOnStoreHub() throws {
    func findings(_ dependencies: String) throws -> [String] {
      var package = PackageModel(files: [("Feature.swift", Self.feature("var count = 0"))])
      package.manifest = SourceFile(
        path: "Package.swift",
        text: """
          let package = Package(
            name: "App",
            dependencies: [
              .package(url: "https://example.org/other", from: "1.0.0"),
              \(dependencies)
            ],
            targets: [
              .target(
                name: "App",
                dependencies: []
              )
            ])

          """)
      return try Ported(package).findings.map(\.text)
    }
    let line = "'.package(name: \"StoreHub\", path: \"…\")'"
    #expect(
      try findings(".package(url: \"https://example.org/swift-composable-architecture\", from: \"1.0.0\")") == [
        "Package.swift:5: left: the package must depend on StoreHub in place of this package: \(line)"
      ])
    #expect(try findings("") == ["Package.swift:3: left: the package must depend on StoreHub: \(line)"])
    #expect(try findings(".package(name: \"StoreHub\", path: \"../StoreHub\")").isEmpty)
  }

  @Test func theManifestGetsTheProduct() throws {
    func manifest(_ dependencies: String) throws -> String? {
      var package = PackageModel(files: [("Feature.swift", Self.feature("var count = 0"))])
      let text = "let package = Package(targets: [\n.target(name: \"App\"\(dependencies))])\n"
      package.manifest = SourceFile(path: "Package.swift", text: text)
      let result = try Ported(package)
      return result.texts["Package.swift"].map { $0.replacing("let package = Package(targets: [\n", with: "") }
    }
    let product = ".product(name: \"ReplicatedArchitecture\", package: \"StoreHub\")"
    #expect(try manifest(", dependencies: []") == ".target(name: \"App\", dependencies: [\(product)])])\n")
    #expect(try manifest(", dependencies: [\"A\"]") == ".target(name: \"App\", dependencies: [\"A\", \(product)])])\n")
    #expect(try manifest("") == nil)
    let long = ".product(name: \"ComposableArchitecture\", package: \"StoreHub\")"
    #expect(
      try manifest(", dependencies: [\"A\", \(long)]") == """
        .target(
          name: "App",
          dependencies: [
            "A",
            \(long),
            \(product),
          ])])

        """)
  }
}
