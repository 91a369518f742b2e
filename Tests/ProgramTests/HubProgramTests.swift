import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct HubProgramTests {
  @Test(arguments: ["storehubd", "storeterm", "storeload"])
  func everyProgramExplainsItself(name: String) throws {
    let help = try Program(name: name).run("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("usage: \(name)") && help.output.contains("--socket PATH"))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })

    let version = try Program(name: name).run("--version")
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("\(name) 0."))

    let wrong = try Program(name: name).run("--wrong")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("--wrong") && wrong.errors.contains("--help"))
  }

  @Test func aTerminatedHubLeavesNothingBehind() throws {
    let hub = try HubProcess()
    #expect(hub.kill(SIGTERM) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: hub.directory) == ["log"])
    #expect(hub.log.contains("stopping on SIGTERM") && hub.log.contains("stopped"))
  }

  @Test func aSecondHubOnTheSameSocketSaysSoAndExits() throws {
    let hub = try HubProcess()
    let second = try Program(name: "storehubd").run("--socket", hub.socket)
    #expect(second.status == 1)
    #expect(second.errors.contains("another hub serves"))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "--actions", "10").status == 0)
  }

  @Test func aKilledHubIsSucceededOnTheSameSocket() throws {
    let hub = try HubProcess()
    #expect(hub.kill(SIGKILL) != 0)
    #expect(FileManager.default.fileExists(atPath: hub.socket))
    try hub.start()
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "--actions", "10").status == 0)
    #expect(hub.kill(SIGINT) == 0)
  }

  @Test func aHubWhoseLogNobodyReadsGoesOn() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let storehubd = URL(
      fileURLWithPath: CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    )
    .deletingLastPathComponent().appendingPathComponent("storehubd").path
    let full = Pipe()
    process.standardError = full
    process.arguments = ["-c", "exec '\(storehubd)' --socket '\(hub.socket)' --log-level debug"]
    try process.run()
    #expect(hub.wait { FileManager.default.fileExists(atPath: hub.socket) })
    // Each run logs a few hundred lines, far more than a pipe holds.
    for _ in 0..<3 {
      let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-c", "400", "-n", "400")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
