import Foundation

/// A running script. If this process dies, also by a SIGKILL, the script and all programs that it has started are told
/// to stop.
final class Script {
  private let process = Process()
  /// Runs a command. A SIGTERM ends the whole process group, which Foundation makes for each process: the command
  /// alone could leave behind what it has started.
  private static let group = #"trap 'trap "" TERM; kill -TERM 0; exit 143' TERM; "$@" & wait "$!""#
  private let (lines, input) = AsyncStream.makeStream(of: String.self)

  /// Starts a program with its arguments.
  init(_ command: [String], directory: URL? = nil) throws {
    let output = Pipe()
    // setpriv(1) is a part of every Debian.
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = ["--pdeathsig", "TERM", "--", "sh", "-c", Self.group, "sh"] + command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let (handle, input) = (output.fileHandleForReading, input)
    Thread.detachNewThread {
      // The output ends with the last process that holds it.
      var rest = Data()
      while case let data = handle.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          input.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      if !rest.isEmpty { input.yield(String(decoding: rest, as: UTF8.self)) }
      input.finish()
    }
  }

  /// Returns each line of its output to `heard`, and its exit status at the end.
  func run(_ heard: (String) -> Void) async -> Int32 {
    for await line in lines { heard(line) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Tells it to stop.
  func stop() { process.terminate() }
}
