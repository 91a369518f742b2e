import Foundation
import TestSupport
import Testing

/// What the compiler says about types that cannot travel.
@Suite(.timeLimit(.minutes(10)), .blocking) struct DiagnosticsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let products = root.appending(path: ".build/debug")
  private static let plugin = products.appending(path: "StoreHubMacros-tool")

  /// Declarations, each with a piece of what must be said about it.
  private static let refused = [
    ("@Replicated struct A { var run: () -> Void }", "'run' cannot travel: it is a function"),
    ("@Replicated struct B { var pair = (1, 2) }", "'pair' cannot travel: it is a tuple"),
    ("@Replicated struct C { let version = 1 }", "'let version' has its value already"),
    ("@Replicated struct D { var a = 1; @ReplicatedKey(0) var b = 2 }", "'b' has the key 0, which 'a' has already"),
    ("@Replicated struct E { @ReplicatedKey(-1) var b = 2 }", "A key is an integer literal from 0 up"),
    ("@Replicated struct F { @Replicated(omit) var cache: [Int] }", "'cache' is omitted, so it needs a default"),
    ("@Replicated struct G { var value: any Sendable }", "'value' cannot travel: its type is known at run time only"),
    ("@Replicated struct H { lazy var value = 1 }", "A lazy field has no value until somebody asks"),
    ("@Replicated struct I { var (a, b) = (1, 2) }", "A field that travels has one name"),
    ("@Replicated enum J { case run(() -> Void) }", "The payload of 'run' cannot travel: it is a function"),
    ("@Replicated enum K { @ReplicatedKey(1) case a; @ReplicatedKey(1) case b }", "'b' has the key 1, which 'a' has"),
    ("@Replicated enum L { @Replicated(omit) case a }", "A case cannot be omitted"),
    ("@Replicated final class M { var x = 1 }", "'@Replicated' can only be applied to structs and enums"),
    ("struct N { @Replicated private struct O { var x = 1 } }", "'O' is private in another type"),
    ("struct P {}; @Replicated struct Q { var value = P() }", "requires that 'P' conform to 'WireValue'"),
  ]

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: plugin.path)))
  func whatCannotTravelIsNamed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "replicated-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Refused.swift")
    let text = "import Wire\n" + Self.refused.map(\.0).joined(separator: "\n")
    try text.write(to: source, atomically: true, encoding: .utf8)

    let said = try compile(source)
    for (index, (declaration, message)) in Self.refused.enumerated() {
      let line = "Refused.swift:\(index + 2):"
      let isSaid = said.contains { $0.contains(message) && ($0.contains(line) || $0.contains("macro expansion")) }
      #expect(isSaid, "\(declaration): \(message)")
    }
  }

  private func compile(_ source: URL) throws -> [Substring] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-parse-as-library", "-module-name", "Refused", "-swift-version", "6", source.path,
      "-load-plugin-executable", "\(Self.plugin.path)#StoreHubMacros", "-I",
      Self.products.appending(path: "Modules").path, "-I", Self.root.appending(path: "Sources/CLibmd").path, "-I",
      Self.root.appending(path: "Sources/CXXHash").path,
    ]
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    return String(decoding: said, as: UTF8.self).split(separator: "\n").filter { $0.contains("error: ") }
  }
}
