import Foundation
import Testing

/// Runs the package's programs as processes, with files and sockets in a separate directory.
struct Program {
  /// The results of a program.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The program's file.
  let url: URL

  /// A program of the package, beside the test bundle of this process.
  init(name: String) {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    url = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name)
  }

  /// A program of the system.
  init(path: String) { url = URL(fileURLWithPath: path) }

  /// The longest time that the programs wait for each other, if a test sets none: a busy machine may stop any of them for
  /// seconds.
  static let limit = "300s"

  /// The arguments of a call, with the time that the program waits for a hub.
  func patient(_ arguments: [String]) -> [String] {
    let isSet = arguments.contains { $0.hasPrefix("--timeout") || ["__complete", "compare", "chart"].contains($0) }
    let waits = ["storectl", "storeload", "storeterm", "todoterminal"].contains(url.lastPathComponent)
    return waits && !isSet ? ["--timeout", Self.limit] + arguments : arguments
  }

  /// Runs the program to its end.
  func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  /// Runs the program to its end.
  func run(_ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = url
    process.arguments = patient(arguments)
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: text, errors: complaint)
  }

  /// Starts the program without waiting; standard error goes to a file.
  ///
  /// - Parameter shell: Shell words before the command, such as `ulimit -n 40; exec`.
  func start(_ arguments: [String], errors path: String, shell: String = "exec") throws -> Process {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", shell + " \"$0\" \"$@\"", url.path] + patient(arguments)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: path)
    try process.run()
    return process
  }
}

/// Polls a condition for at most a time in seconds; returns false if it was not met.
func poll(for limit: TimeInterval = 120, until condition: () -> Bool) -> Bool {
  let deadline = Date().addingTimeInterval(limit)
  while !condition() {
    guard Date() < deadline else { return false }
    usleep(5_000)
  }
  return true
}

extension [String] {
  /// The options of a hub that has long enough to stop in order, unless they set the time.
  var withStopLimit: [String] { contains("--stop-limit") ? self : self + ["--stop-limit", Program.limit] }
}

/// A hub process with its socket in a separate directory.
final class HubProcess {
  let directory: String
  private let program: String
  private(set) var process: Process?
  var socket: String { directory + "/hub.sock" }
  var log: String { (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "" }

  init(
    _ program: String = "storehubd", shell: String = "exec", options: [String] = [], awaitsLog: Bool = true
  ) throws {
    self.program = program
    directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try start(options, shell: shell, awaitsLog: awaitsLog)
  }

  /// Starts the hub and waits until it listens.
  func start(_ options: [String] = [], shell: String = "exec", awaitsLog: Bool = true) throws {
    process = try Program(name: program).start(
      ["--socket", socket] + options.withStopLimit, errors: directory + "/log", shell: shell)
    if awaitsLog { try #require(wait { log.contains("listening on") }) }
  }

  func kill(_ signal: Int32) -> Int32 {
    guard let process else { return -1 }
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
    self.process = nil
    return process.terminationStatus
  }

  /// Polls a condition for at most two minutes.
  func wait(until condition: () -> Bool) -> Bool { poll(until: condition) }

  deinit {
    if process != nil { _ = kill(SIGKILL) }
    try? FileManager.default.removeItem(atPath: directory)
  }
}
