import Foundation
import Synchronization

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

  /// Returns the lines of a file. Many tests read the same ones.
  static func lines(_ path: String) throws -> [Substring] {
    if let lines = known.withLock({ $0[path] }) { return lines }
    // By bytes, which is quicker than by characters.
    let lines = try text(path).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    known.withLock { $0[path] = lines }
    return lines
  }

  private static let known = Mutex<[String: [Substring]]>([:])

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

// Those of the standard library compare characters, which takes seconds for all sources without optimization. These
// compare bytes.
extension String {
  func contains(_ other: String) -> Bool { self[...].contains(other) }
}

extension Substring {
  func contains(_ other: String) -> Bool {
    let (count, otherCount) = (utf8.count, other.utf8.count)
    return withBytes(other) { bytes, other in
      var start = 0
      while count - start >= otherCount,
        let found = memchr(bytes + start, CInt(other[0]), count - start - otherCount + 1)
      {
        if memcmp(found, other, otherCount) == 0 { return true }
        start = UnsafeRawPointer(found) - UnsafeRawPointer(bytes) + 1
      }
      return false
    }
  }

  func hasPrefix(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count && withBytes(prefix) { memcmp($0, $1, prefix.utf8.count) == 0 }
  }

  private func withBytes(_ other: String, _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Bool) -> Bool {
    var (text, other) = (self, other)
    return text.withUTF8 { text in
      other.withUTF8 { other in
        // Empty ones have no address.
        guard let other = other.baseAddress else { return true }
        return text.baseAddress.map { body($0, other) } ?? false
      }
    }
  }
}
