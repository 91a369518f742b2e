import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)), .blocking) struct LoadProgramTests {
  @Test(arguments: [(1, 1), (1, 256), (16, 16), (50, 3)])
  func everyActionIsCountedOnce(connections: Int, depth: Int) throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run(
      "--socket", hub.socket, "--connections", "\(connections)", "--depth", "\(depth)", "--actions", "5003", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")

    let object = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["actions"] as? Int == 5003)
    #expect(object["finalCount"] as? Int == 5003)
    let seconds = try #require(object["seconds"] as? Double)
    let rate = try #require(object["actionsPerSecond"] as? Double)
    #expect(seconds > 0 && abs(rate * seconds - 5003) < 60)
    let latencies = try #require(object["latencyMicroseconds"] as? [String: Double])
    let ordered = try ["p50", "p99", "p99_9", "max"].map { try #require(latencies[$0]) }
    #expect(ordered == ordered.sorted() && ordered[0] > 0)
  }

  @Test(arguments: [("add", 350), ("edit", 250), ("move", 250), ("delete", 150), ("toggle", 250)])
  func aListIsFilledAndChanged(workload: String, finalCount: Int) throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run(
      "--socket", hub.socket, "--workload", workload, "--todos", "250", "-c", "3", "-d", "8", "-n", "100", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["workload"] as? String == workload)
    #expect(object["todos"] as? Int == 250)
    #expect(object["finalCount"] as? Int == finalCount)
  }

  @Test func aListThatIsTooShortIsAnError() throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-w", "delete", "--todos", "5", "-n", "6")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("5 todos") && outcome.errors.contains("--todos 6"))
  }

  @Test func aSecondRunCountsFromWhereTheFirstEnded() throws {
    let hub = try HubProcess()
    _ = try Program(name: "storeload").run("--socket", hub.socket, "-n", "100")
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-n", "100")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("final count 200"))
  }

  @Test func withoutAHubItSaysSo() throws {
    let outcome = try Program(name: "storeload").run("--socket", "/nonexistent/hub.sock")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/nonexistent/hub.sock") && outcome.errors.contains("Is a hub running there?"))
  }

  @Test(arguments: [["--depth", "0"], ["--connections", "many"], ["--actions"], ["extra"]])
  func aWrongCommandLineIsExplained(arguments: [String]) throws {
    let outcome = try Program(name: "storeload").run(arguments[0], arguments.count > 1 ? arguments[1] : "--json=1")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("storeload: ") && outcome.errors.contains("--help"))
  }

  @Test func aHubThatDiesIsAnError() throws {
    let hub = try HubProcess()
    let load = try Program(name: "storeload").start(
      ["--socket", hub.socket, "-c", "4", "-d", "64", "-n", "100000000"], errors: hub.directory + "/load")
    #expect(hub.wait { (try? Program(name: "storeload").run("--socket", hub.socket, "-n", "1")) != nil })
    _ = hub.kill(SIGKILL)
    load.waitUntilExit()
    #expect(load.terminationStatus == 1)
    #expect(try String(contentsOfFile: hub.directory + "/load", encoding: .utf8).contains("hub closed a connection"))
  }
}
