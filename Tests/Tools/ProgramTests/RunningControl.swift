import Foundation
import Testing

/// A running storectl, with its output in a pipe.
final class RunningControl {
  let process = Process()
  let output = Pipe()
  private var rest = Data()

  init(_ hub: HubProcess, _ arguments: String...) throws {
    let control = Program(name: "storectl")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Threads of a pool block all signals, and their child processes inherit that; env(1) resets it.
    process.arguments =
      ["--default-signal", control.url.path] + control.patient(["--socket", hub.socket] + arguments)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// The next line; nil at the end.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      rest += more
    }
  }

  func objects() throws -> [[String: Any]] {
    var all: [[String: Any]] = []
    while let line = line() { all.append(try #require(try jsonObject(line))) }
    return all
  }

  func status(after signal: Int32? = nil) -> Int32 {
    if let signal { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// The JSON object of a line; nil for another value.
func jsonObject(_ line: String) throws -> [String: Any]? {
  try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
}

extension HubProcess {
  /// Runs storectl with words in a shell, which may include redirections.
  func control(_ words: String) throws -> Program.Outcome {
    try Program(path: "/usr/bin/env").run(
      "--default-signal", "STOREHUB_SOCKET=\(socket)", "/bin/bash", "-c",
      """
      set -o pipefail
      storectl() {
        case " $* " in
        *" --timeout "* | *" __complete "*) '\(Program(name: "storectl").url.path)' "$@" ;;
        *) '\(Program(name: "storectl").url.path)' --timeout \(Program.limit) "$@" ;;
        esac
      }
      storectl \(words)
      """)
  }

  /// Sends actions to the hub.
  func load(_ actions: Int) throws {
    #expect(try Program(name: "storeload").run("--socket", socket, "--actions", "\(actions)").status == 0)
  }
}
