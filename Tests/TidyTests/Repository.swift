import Foundation

/// The working copy from which these tests were built.
enum Repository {
  /// The root folder. `scripts/tidy`, which builds these tests elsewhere, sets it.
  static let root =
    ProcessInfo.processInfo.environment["STOREHUB_ROOT"]
    ?? sequence(first: URL(fileURLWithPath: #filePath)) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
    .first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("Package.swift").path) }?.path ?? "/"

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  static func lines(_ path: String) throws -> [Substring] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Returns the files below a folder whose names end in `suffix`, relative to the root, sorted.
  static func files(below folder: String, endingIn suffix: String) -> [String] {
    let walker = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
    return (walker?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
      .sorted()
  }

  static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted()
  }

  /// Returns the files that git tracks; nil without git or a repository, as in an unpacked archive.
  static func trackedFiles() -> [String]? {
    git("ls-files", "-z")?.split(separator: "\0").map(String.init)
  }

  /// The output of a git command, or nil if it fails.
  static func git(_ arguments: String...) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // A mounted working copy may belong to another user.
    process.arguments = ["git", "-c", "safe.directory=*", "-C", root] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
