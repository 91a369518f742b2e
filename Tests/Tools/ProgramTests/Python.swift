import Foundation
import TestSupport
import Testing

/// Runs scripts of the tests with the machine's Python.
enum Python {
  static let path = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isInstalled: Bool { path != nil }

  /// Runs a script to its end and returns its output.
  ///
  /// - Parameters:
  ///   - script: The script's path in the folder of all tests.
  ///   - arguments: Its arguments.
  static func run(_ script: String, _ arguments: [String]) throws -> Data {
    try output(process(script, arguments))
  }

  private static func output(_ process: Process) throws -> Data {
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(complaint)")
    #expect(complaint.isEmpty)
    return text
  }

  /// Starts a script, whose output goes to a file.
  static func start(_ script: String, _ arguments: [String], output path: String) throws -> Process {
    let process = try process(script, arguments)
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: path)
    try process.run()
    return process
  }

  private static func process(_ script: String, _ arguments: [String]) throws -> Process {
    try process([RepositoryFiles.path("Tests/\(script)")] + arguments)
  }

  private static func process(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = arguments
    // Python writes no cache beside the script.
    process.environment = [
      "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": RepositoryFiles.path("clients/python/src"),
    ]
    return process
  }

  /// Runs the client in `clients/python`, which was written from docs/PROTOCOL.md alone.
  static func client(_ hub: HubProcess, _ arguments: [String]) throws -> Any {
    let text = try output(process(["-m", "storehub", hub.socket] + arguments))
    return try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
  }
}
