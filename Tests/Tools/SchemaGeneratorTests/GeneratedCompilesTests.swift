import Foundation
import TestSupport
import Testing

/// The golden files with the type checkers of their languages, as far as this machine has them.
@Suite(.timeLimit(.minutes(30)), .blocking)
struct GeneratedCompilesTests {
  private static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  private func run(_ program: String, _ arguments: [String], in directory: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.environment = ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(program): \(String(decoding: text, as: UTF8.self))")
  }

  @Test(.enabled(if: find("tsc") != nil)) func typeScriptAcceptsItStrictlyWithItsClient() throws {
    let folder = NSTemporaryDirectory() + "storehub-tsc-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let options: [String: Any] = [
      "strict": true, "noEmit": true, "noUnusedLocals": true, "noImplicitOverride": true, "target": "ES2022",
      "module": "ES2022", "moduleResolution": "node", "lib": ["ES2022", "DOM"], "types": [String](),
      "baseUrl": RepositoryFiles.path("clients/typescript"), "paths": ["storehub": ["src/common"]],
    ]
    let files = ["Tests/Golden/generated/everything.ts", "clients/typescript/src/ambient.d.ts"]
    let project = ["compilerOptions": options, "files": files.map { RepositoryFiles.path($0) }] as [String: Any]
    try JSONSerialization.data(withJSONObject: project).write(to: URL(fileURLWithPath: folder + "/tsconfig.json"))
    try run(try #require(Self.find("tsc")), ["-p", folder], in: folder)
  }

  @Test(.enabled(if: find("mypy") != nil)) func mypyAcceptsItStrictly() throws {
    let cache = NSTemporaryDirectory() + "storehub-mypy-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: cache) }
    try run(
      try #require(Self.find("mypy")),
      ["--strict", "--cache-dir", cache, RepositoryFiles.path("Tests/Golden/generated/everything.py")],
      in: RepositoryFiles.path("clients/python/src"))
  }
}
