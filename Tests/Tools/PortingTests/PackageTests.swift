import Foundation
import TestSupport
import Testing

@testable import Porting

/// Packages in the file system.
@Suite(.timeLimit(.minutes(30)), .blocking) struct PackageTests {
  private static let fixture = RepositoryFiles.url("Tests/Fixtures/port")
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func clean() { try? FileManager.default.removeItem(at: directory) }

  private func write(_ text: String, to path: String) throws {
    let url = directory.appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: false, encoding: .utf8)
  }

  /// The texts of all Swift files in a directory.
  private func texts(in folder: URL) throws -> [String: String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let files = paths.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build") }
    return Dictionary(
      uniqueKeysWithValues: try files.map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) })
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    process.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "storeport")
    (process.arguments, process.standardOutput, process.standardError) = (arguments, output, errors)
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: said, as: UTF8.self))
  }

  @Test func aPackageIsChangedAsRecordedAndOnlyOnce() throws {
    defer { clean() }
    let package = directory.appending(path: "shelter")
    try FileManager.default.copyItem(at: Self.fixture.appending(path: "before"), to: package)
    let before = try texts(in: package)

    let check = try run("--package", package.path, "--check")
    #expect(check.status == 0 && check.output.hasPrefix("--- a/Package.swift\n+++ b/Package.swift\n@@ "))
    #expect(
      check.errors.hasSuffix(
        "to change: 8 files: 16 marks, 6 imports, 41 'public', 17 'Sendable', 8 initializers, 2 dependencies; 2 left, 1 note\n"
      ))
    #expect(try texts(in: package) == before)

    let first = try run("--package", package.path)
    #expect(first.status == 0 && first.errors == "")
    #expect(first.output.contains("Sources/Shelter/Kennel/Kennel.swift:12: left: this field stays internal"))
    let after = try texts(in: package)
    let expected = try texts(in: Self.fixture.appending(path: "after"))
    #expect(after.keys.sorted() == expected.keys.sorted())
    for (path, text) in expected {
      #expect(
        after[path] == text, "\(Difference(from: text, to: after[path] ?? "").text(oldName: path, newName: path))")
    }

    let second = try run("--package", package.path)
    #expect(second.output.hasSuffix("nothing to change; 1 left, 1 note\n"))
    #expect(try texts(in: package) == expected)
  }

  @Test func whatIsNoPackageIsRefused() throws {
    defer { clean() }
    let none = try run("--package", directory.path)
    #expect(none.status == 2)
    #expect(none.errors == "port: \(directory.path) is not a package: it has no Package.swift\n")
    try write("let package = nonsense(\n", to: "Package.swift")
    let broken = try run("--package", directory.path)
    #expect(broken.status == 2)
    #expect(broken.errors.hasPrefix("port: the manifest of \(directory.path) cannot be read:\n"))
    #expect(try run().status == 2)
    #expect(try run("--package", directory.path, "--begin", ",").errors.contains("--begin needs the names of types"))
  }

  private static func dump(_ targets: String) -> Data { Data("{\"targets\": [\(targets)]}".utf8) }
  private static let app = #""name": "App", "dependencies": [], "settings": []"#

  @Test func linksAndOtherFilesAreLeft() throws {
    defer { clean() }
    try write("struct A {}", to: "Sources/App/A.swift")
    try write("struct Outside {}", to: "outside/Outside.swift")
    try write("no code", to: "Sources/App/notes.txt")
    let sources = directory.appending(path: "Sources/App")
    try Data([0x2f, 0x2f, 0xff, 0xfe]).write(to: sources.appending(path: "Latin.swift"))
    for (link, target) in [("Link.swift", "../../outside/Outside.swift"), ("folder", "../../outside"), ("loop", ".")] {
      try FileManager.default.createSymbolicLink(
        atPath: sources.appending(path: link).path, withDestinationPath: target)
    }
    try FileManager.default.createDirectory(
      at: sources.appending(path: "Folder.swift"), withIntermediateDirectories: true)
    let package = try PackageReader.read(directory, dump: Self.dump("{\(Self.app), \"type\": \"regular\"}"))
    #expect(package.targets.map { $0.files.map(\.path) } == [["Sources/App/A.swift"]])
    let link = "a symbolic link is not followed; change the file to which it leads"
    #expect(
      package.findings.map(\.text) == [
        "Sources/App/Latin.swift: left: the file is not UTF-8, so that it was not read",
        "Sources/App/Link.swift: left: \(link)", "Sources/App/folder: left: \(link)", "Sources/App/loop: left: \(link)",
        "Package.swift: left: the file cannot be read",
      ])
  }

  @Test(.enabled(if: geteuid() != 0, "root can read every file")) func unreadableFilesAreLeft() throws {
    defer { clean() }
    try write("struct A {}", to: "Sources/App/A.swift")
    let path = directory.appending(path: "Sources/App/A.swift").path
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    let package = try PackageReader.read(directory, dump: Self.dump("{\(Self.app), \"type\": \"regular\"}"))
    #expect(package.findings.first?.text == "Sources/App/A.swift: left: the file cannot be read")
  }

  @Test func theFoldersOfTargetsAreThoseOfTheManifest() throws {
    defer { clean() }
    for path in ["code/A.swift", "code/out/B.swift", "code/sub/C.swift", "Sources/D.swift", "Tests/AppTests/E.swift"] {
      try write("struct S {}", to: path)
    }
    func files(_ target: String) throws -> [String] {
      try PackageReader.read(directory, dump: Self.dump(target)).targets.flatMap { $0.files.map(\.path) }
    }
    let regular = "\(Self.app), \"type\": \"regular\""
    #expect(
      try files("{\(regular), \"path\": \"code\", \"exclude\": [\"out\"]}") == ["code/A.swift", "code/sub/C.swift"])
    #expect(
      try files("{\(regular), \"path\": \"code\", \"sources\": [\"sub\", \"A.swift\"]}") == [
        "code/sub/C.swift", "code/A.swift",
      ])
    #expect(try files("{\(regular)}") == ["Sources/D.swift"])
    #expect(try files("{\(Self.app), \"type\": \"test\"}") == [])
    #expect(throws: PackageReader.Failure.self) { try files("{\"type\": 1}") }
  }

  @Test func aFileIsReplacedAsAWhole() throws {
    defer { clean() }
    try write("old", to: "A.swift")
    let path = directory.appending(path: "A.swift").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try FileReplacement.replace(path, with: "new\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
    let failure = #expect(throws: FileReplacement.Failure.self) {
      try FileReplacement.replace(path + ".link", with: "")
    }
    #expect(failure?.description == "\(path).link is no longer a file")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["A.swift", "A.swift.link"])
  }
}
