import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .blocking) struct SimulationProgramTests {
  @Test func aSeedDoesTheSameInEveryProcess() throws {
    let (first, second) = (try run("--seed", "3"), try run("--seed", "3"))
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("hash "))
    #expect(first.output == second.output)
    let trace = try run("--seed", "3", "--trace")
    // The counts and the hash, on the last line.
    #expect(trace.output.split(separator: "\n").last == first.output.split(separator: "\n").last)
    #expect(trace.output.contains("hub starts"))
  }

  @Test func aCampaignSumsUp() throws {
    let outcome = try run("--seeds", "6", "--from", "40", "--jobs", "3")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("6 of 6 seeds"))
  }

  @Test func aFailureNamesTheSeedAndHowToRunItAgain() throws {
    let outcome = try run("--seeds", "4", "--jobs", "2", "--bug", "hubDoesNotWait")
    #expect(outcome.status == 1)
    let line = try #require(outcome.output.split(separator: "\n").first { $0.contains("--trace") })
    let words = line.split(separator: " ").dropFirst().map(String.init)
    #expect(words.count == 5)
    let again = try Program(name: "storesim").run(Array(words.dropLast()))
    #expect(again.status == 1)
    #expect(again.errors.contains("seenBeforeStored"))
  }

  // MARK: A cluster

  @Test func aSeedOfAClusterDoesTheSameInEveryProcess() throws {
    let (first, second) = (try run("--cluster", "--seed", "3"), try run("--cluster", "--seed", "3"))
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("nodes with") && first.output.contains("hash "))
    #expect(first.output == second.output)
    let trace = try run("--cluster", "--seed", "3", "--trace")
    #expect(trace.output.split(separator: "\n").last == first.output.split(separator: "\n").last)
    #expect(trace.output.contains("seconds commit"))
  }

  @Test func aCampaignOfClustersNamesTheSeedThatFailed() throws {
    #expect(try run("--cluster", "--seeds", "4", "--jobs", "2").status == 0)
    let outcome = try run("--cluster", "--seeds", "20", "--jobs", "2", "--bug", "acknowledgedBeforeApplied")
    #expect(outcome.status == 1)
    let line = try #require(outcome.output.split(separator: "\n").first { $0.contains("--trace") })
    let words = line.split(separator: " ").dropFirst().map(String.init)
    #expect(words.prefix(3) == ["--cluster", "--bug", "acknowledgedBeforeApplied"])
    let again = try Program(name: "storesim").run(Array(words.dropLast()))
    #expect(again.status == 1 && again.errors.contains("seenBeforeStored"), "\(again.errors)")
  }

  @Test func theBugsOfAClusterAreItsOwn() throws {
    let list = try run("--cluster", "--bug", "list")
    #expect(list.status == 0 && list.output.contains("takeoverByLeaseOnly"))
    let other = try run("--cluster", "--bug", "hubDoesNotWait")
    #expect(other.status == 2 && other.errors.contains("hubDoesNotWait"), "\(other.errors)")
  }

  @Test func aTraceNeedsASeed() throws {
    let outcome = try run("--trace")
    #expect(outcome.status == 2 && outcome.errors.contains("--trace has no effect without --seed"))
  }

  @Test(arguments: [
    ["--seed=1", "--seeds=5"], ["--seed=1", "--jobs=4"], ["--from=5", "--seed=3"], ["--seed=3", "--stride=2"],
    ["--stride=2", "--jobs=2"],
  ])
  func optionsThatExcludeEachOtherAreRefused(arguments: [String]) throws {
    let outcome = try Program(name: "storesim").run(arguments)
    #expect(outcome.status == 2 && outcome.errors.contains("exclude each other"), "\(outcome)")
  }

  @Test func aReaderThatLeavesEndsIt() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "--default-signal=PIPE", "bash", "-c",
      "{ sleep 0.2; exec \"$0\" --seed 3 --trace; } | true; exit ${PIPESTATUS[0]}",
      Program(name: "storesim").url.path,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 141)
    for name in ["storesim", "storeload"] {
      #expect(try Program(name: name).run("--help=man").output.contains("\n\\fB141\\fR\n"), "\(name)")
    }
  }

  private func run(_ arguments: String...) throws -> Program.Outcome { try Program(name: "storesim").run(arguments) }
}
