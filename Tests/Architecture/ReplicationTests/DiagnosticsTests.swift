import Foundation
import TestSupport
import Testing

/// The compiler's diagnostics for types that cannot be replicated.
@Suite(.timeLimit(.minutes(30)), .blocking) struct DiagnosticsTests {
  private static let root = RepositoryFiles.root
  private static let products = root.appending(path: ".build/debug")
  private static let plugin = products.appending(path: "StoreHubMacros-tool")

  /// Declarations, each with a part of the expected message.
  private static let refused = [
    ("@Replicated struct A { var run: () -> Void }", "'run' cannot be replicated: it is a function"),
    ("@Replicated struct B { var pair = (1, 2) }", "'pair' cannot be replicated: it is a tuple"),
    ("@Replicated struct C { let version = 1 }", "'let version' has its value already"),
    ("@Replicated struct D { var a = 1; @ReplicatedKey(0) var b = 2 }", "'b' has the key 0, which 'a' has already"),
    ("@Replicated struct E { @ReplicatedKey(-1) var b = 2 }", "A key is an integer literal from 0 up"),
    ("@Replicated struct F { @Replicated(omit) var cache: [Int] }", "'cache' is omitted, so it needs a default"),
    (
      "@Replicated struct G { var value: any Sendable }",
      "'value' cannot be replicated: its type is known at run time only"
    ),
    ("@Replicated struct H { lazy var value = 1 }", "A lazy field has no value until somebody asks"),
    ("@Replicated struct I { var (a, b) = (1, 2) }", "A replicated field has one name"),
    ("@Replicated enum J { case run(() -> Void) }", "The payload of 'run' cannot be replicated: it is a function"),
    ("@Replicated enum K { @ReplicatedKey(1) case a; @ReplicatedKey(1) case b }", "'b' has the key 1, which 'a' has"),
    ("@Replicated enum L { @Replicated(omit) case a }", "A case cannot be omitted"),
    ("@Replicated final class M { var x = 1 }", "'@Replicated' can only be applied to structs and enums"),
    ("struct N { @Replicated private struct O { var x = 1 } }", "'O' is private in another type"),
    (
      "@Replicated enum R { case wide(\(Array(repeating: "Int", count: 65).joined(separator: ", "))) }",
      "A replicated case has at most 64 associated values"
    ),
    ("struct P {}; @Replicated struct Q { var value = P() }", "mark its type '@Replicated', or the field"),
  ]

  /// Fields and cases of types that are not replicated; a comment marks those that must be rejected.
  private static let notReplicated = """
    import ReplicatedArchitecture
    struct Request {}
    struct Contact: Identifiable { var id = 0 }
    @Replicated struct Plain {
      var count = 0
      let constant: Request  // refused
      var stored: Request  // refused
      var inferred = Request()  // refused
      var optional: Request?  // refused
      var list: [Request] = []  // refused
      @Replicated(omit) var cache = Request()
    }
    @Replicated @ObservableState struct Observed {
      var count = 0
      var request = Request()  // refused
      @Presents var child: Request?  // refused
    }
    @Replicated struct Identified {
      var contact: Contact  // refused
      var id: Int { contact.id }
    }
    @Replicated enum Event {
      case none
      case one(Request)  // refused
      case two(Int, request: Request)  // refused
      indirect case more(Event)
    }
    enum Outer {
      @Replicated struct Inner {
        var first = 1
        var request: Request  // refused
      }
    }
    @Replicated struct Generic<Element> {
      var element: Element
      var request: Request  // refused
    }
    """

  /// A feature in another package, with one import and the strictest rules for imports.
  private static let feature = """
    public import ReplicatedArchitecture
    @Reducer public struct Counter {
      @Replicated @ObservableState public struct State: Equatable {
        public var count = 0
        public var rows: IdentifiedArrayOf<Row.State> = []
        @Presents public var row: Row.State?
      }
      @Replicated public enum Action {
        case increment
        case rows(IdentifiedActionOf<Row>)
        case row(PresentationAction<Row.Action>)
      }
      @Dependency(\\.continuousClock) var clock
      public var body: some ReducerOf<Self> {
        Reduce { state, action in
          if case .increment = action { state.count += 1 }
          return .none
        }
        .forEach(\\.rows, action: \\.rows) { Row() }
        .ifLet(\\.$row, action: \\.row) { Row() }
      }
    }
    @Reducer public struct Row {
      @Replicated @ObservableState public struct State: Equatable, Identifiable { public var id = 0 }
      @Replicated public enum Action { case tapped }
      public var body: some ReducerOf<Self> { EmptyReducer() }
    }
    """

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func whatCannotTravelIsNamed() throws {
    let said = try errors(in: "import Wire\n" + Self.refused.map(\.0).joined(separator: "\n"))
    for (index, (declaration, message)) in Self.refused.enumerated() {
      let line = "Source.swift:\(index + 2):"
      #expect(said.contains { $0.contains(message) && $0.contains(line) }, "\(declaration): \(message)")
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func aTypeThatIsNotReplicatedIsOneErrorAtTheFieldsLine() throws {
    let lines = Self.notReplicated.split(separator: "\n").enumerated()
    let refused = lines.filter { $0.element.hasSuffix("// refused") }.map(\.offset)
    let said = try errors(in: Self.notReplicated)
    #expect(said.count == refused.count, "\(said.joined(separator: "\n"))")
    for index in refused {
      let errors = said.filter { $0.contains("Source.swift:\(index + 1):") }
      #expect(
        errors.count == 1 && errors.allSatisfy { $0.contains("cannot be replicated: mark its type '@Replicated'") })
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func aMarkWithoutItsModuleNamesTheImport() throws {
    let unmarked = """
      import ComposableArchitecture
      @Replicated struct State { var count = 0 }
      @Replicated enum Action { case tapped(State) }
      """
    // The compiler repeats what it says of availability.
    let said = Set(try errors(in: unmarked)).sorted()
    #expect(said.count == 2, "\(said.joined(separator: "\n"))")
    for (index, error) in said.enumerated() {
      #expect(error.contains("Source.swift:\(index + 2):") && error.contains("add 'import ReplicatedArchitecture'"))
    }
    let both = "import ComposableArchitecture\nimport ReplicatedArchitecture\nimport Wire\n"
    #expect(try errors(in: both + "@Replicated struct State { @Replicated(omit) var count = 0 }") == [])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func aTypeOfAnotherModuleNeedsOneLine() throws {
    let said = try errors(
      in: """
        import Foundation
        import ReplicatedArchitecture
        @Replicated struct State { var size: Measurement<UnitLength>? }
        @Replicated enum Action { case sized(FileAttributeType) }
        """)
    #expect(said.count == 2, "\(said.joined(separator: "\n"))")
    let line = "write 'extension TheType: @retroactive Replicated {}'"
    #expect(said.allSatisfy { $0.contains(line) })
    let conforming = """
      public import Foundation
      public import ReplicatedArchitecture
      extension FileAttributeType: @retroactive Replicated {}
      @Replicated enum Action { case sized(FileAttributeType) }
      """
    #expect(try errors(in: conforming) == [])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func aSharedFeatureNeedsOneImport() throws {
    #expect(try errors(in: Self.feature) == [])
  }

  /// Operations that are not available on Linux, each as the result of a reducer.
  private static let unavailable = [
    (".publisher { 1 }", "Combine is not available on Linux"),
    (".task { .tapped }", "use 'Effect.run' and send the action"),
    (".fireAndForget {}", "use 'Effect.run'"),
    (".init(value: .tapped)", "use 'Effect.send'"),
    (".timer(id: 1, every: 1, on: 1)", "use 'clock.timer(interval:)'"),
    (".cancel(id: Int.self)", "an id is a value"),
    (".run { _ in }.cancellable(id: Int.self)", "an id is a value"),
    (".cancel(ids: [1])", "merge an 'Effect.cancel(id:)' for each id"),
    (".send(.tapped).receive(on: 1)", "on the main actor"),
    (".send(.tapped).eraseToEffect()", "not a publisher"),
  ]

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func whatIsNotAvailableIsReportedAtItsLine() throws {
    let features = Self.unavailable.enumerated().map { index, item in
      """
      struct Feature\(index): Reducer {
        struct State { var count = 0 }
        enum Action { case tapped }
        var body: some ReducerOf<Self> {
          Reduce { state, action in
            switch action {
            case .tapped:
              state.count += 1
              return \(item.0)
            }
          }
        }
      }
      """
    }
    let text = "import ComposableArchitecture\n" + features.joined(separator: "\n")
    let said = try errors(in: text)
    #expect(said.count == Self.unavailable.count, "\(said.joined(separator: "\n"))")
    for (index, (operation, message)) in Self.unavailable.enumerated() {
      let line = "Source.swift:\(index * 13 + 10):"
      #expect(said.contains { $0.contains(message) && $0.contains(line) }, "\(operation): \(message)")
    }
  }

  /// Returns the compiler's errors, without excerpts of the source.
  private func errors(in text: String) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "replicated-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Source.swift")
    try text.write(to: source, atomically: true, encoding: .utf8)

    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-parse-as-library", "-module-name", "Source", "-swift-version", "6", source.path,
      "-diagnostic-style", "llvm", "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
      "InternalImportsByDefault", "-enable-upcoming-feature", "ExistentialAny",
      "-load-plugin-executable", "\(Self.plugin.path)#StoreHubMacros", "-I",
      Self.products.appending(path: "Modules").path, "-I", Self.root.appending(path: "Sources/System/CLibmd").path,
      "-I",
      Self.root.appending(path: "Sources/System/CXXHash").path, "-Xcc",
      "-fmodule-map-file=\(Self.products.appending(path: "CFeatureCore.build/module.modulemap").path)",
    ]
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let errors = String(decoding: said, as: UTF8.self).split(separator: "\n").filter { $0.contains(": error: ") }
    #expect((process.terminationStatus == 0) == errors.isEmpty)
    return errors.map(String.init)
  }
}
