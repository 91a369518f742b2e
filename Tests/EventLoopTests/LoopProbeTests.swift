import Foundation
import Testing

/// The measurements of a process that runs the loop on its main thread, which a test process cannot do.
@Suite(.timeLimit(.minutes(30))) struct LoopProbeTests {
  @Test func oneThreadRunsCallbacksAndTheMainActorAndIdlesInBetween() throws {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("loopprobe")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)

    let findings = Dictionary(
      text.split(separator: "\n").map { line -> (String, String) in
        let words = line.split(separator: " ")
        return (words.dropLast().joined(separator: " "), String(words.last ?? ""))
      }, uniquingKeysWith: { $1 })
    for place in ["timer", "wake-up", "task", "after sleep", "back"] {
      #expect(findings[place] == "true", "\(place) ran on another thread: \(text)")
    }
    #expect(findings["detached"] == "false")
    #expect(findings["paused"] == "false", "a task ran while the main queue was paused: \(text)")
    // The hooks are called twice per turn, before waiting and after. Only the turn that wakes the task is counted.
    // A polling loop turns and waits hundreds of times.
    let turns = try #require(findings["turns"].flatMap { Int($0) })
    #expect(turns <= 10, "an idle loop turned \(turns) times")
    // One wait, and a few for locks of other threads and for memory that was swapped out.
    let switches = try #require(findings["switches"].flatMap { Int($0) })
    #expect(switches <= 40, "an idle main thread was woken \(switches) times")
    #expect(findings["descriptors left"] == "0")
    #expect(findings["handles left"] == "0")
  }
}
