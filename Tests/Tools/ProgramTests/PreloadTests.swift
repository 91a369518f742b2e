import Foundation
import TestSupport
import Testing

/// Programs with a preloaded library that changes the environment: `CommandLine.arguments` is empty then.
@Suite(.timeLimit(.minutes(30)), .blocking, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")))
struct PreloadTests {
  private func withLibrary(_ body: (_ preload: String) throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let source = RepositoryFiles.path("Tests/Fixtures/preload/environment.c")
    let library = directory + "/environment.so"
    let compiled = try Program(path: "/usr/bin/cc").run("-shared", "-fPIC", "-o", library, source)
    try #require(compiled.status == 0, "\(compiled)")
    try body("LD_PRELOAD=\(library)")
  }

  @Test(arguments: ["storehubd", "storectl", "storeload", "storesim", "storeterm"])
  func theOptionsAreReadAllTheSame(name: String) throws {
    try withLibrary { preload in
      let program = Program(name: name).url.path
      let version = try Program(path: "/usr/bin/env").run(preload, program, "--version")
      #expect(version.status == 0 && version.output.hasPrefix("\(name) "), "\(version)")
      let wrong = try Program(path: "/usr/bin/env").run(preload, program, "--no-such-option", "")
      #expect(wrong.status == 2 && wrong.errors.contains("no-such-option"), "\(wrong)")
    }
  }
}
