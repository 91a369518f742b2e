import IssueReporting
import Testing

@Suite struct GeneratedPlaceholderTests {
  private enum Direction: String, CaseIterable {
    case up = "↑"
    case down = "↓"
  }

  private struct Level: RawRepresentable {
    var rawValue: Int
  }

  private struct Offline: Error {}

  private struct Client {
    var now: @Sendable () -> Double
    var save: (String) -> Void
    var load: (Int) throws -> String
    var fetch: @Sendable (Int, String) async throws -> [Int]
    var names: @Sendable () async -> [String]

    static var testValue: Self {
      Self(
        now: unimplemented("\(Self.self).now"), save: unimplemented("\(Self.self).save"),
        load: unimplemented("\(Self.self).load"), fetch: unimplemented("\(Self.self).fetch"),
        names: unimplemented("\(Self.self).names"))
    }
  }

  private let recorder = Recorder()

  private func value<Value>(_ type: Value.Type) -> Value { unimplemented("value") }

  @Test func aFunctionReportsItsArgumentsAndReturnsAnEmptyValue() throws {
    let line: UInt = #line + 1
    let count: @Sendable (String, Int) -> Int = unimplemented("count")
    let isOn: () -> Bool = unimplemented("isOn")
    withIssueReporters([recorder]) {
      #expect(count("a", 1) == 0)
      #expect(!isOn())
    }
    #expect(recorder.messages.count == 2)
    let message = try #require(recorder.messages.first)
    #expect(message.hasPrefix("Unimplemented: count …") && message.hasSuffix("(\"a\", 1)"))
    #expect(recorder.lines.first == line)
  }

  @Test func eachKindOfTypeHasAPlaceholder() {
    let issues = withExpectedIssue {
      #expect(value(String.self) == "")
      #expect(value(Character.self) == " ")
      #expect(value(Double.self) == 0)
      #expect(value([Int].self) == [])
      #expect(value(Set<Int>.self) == [])
      #expect(value([String: Int].self) == [:])
      #expect(value(Int?.self) == nil)
      #expect(value(Direction.self) == .up)
      #expect(value(Level.self).rawValue == 0)
      value(Void.self)
    }
    #expect(issues.count == 10)
  }

  @Test func aStreamHasEnded() async throws {
    let numbers: () -> AsyncStream<Int> = unimplemented("numbers")
    let names: () -> AsyncThrowingStream<String, any Error> = unimplemented("names")
    await withIssueReporters([recorder]) {
      for await _ in numbers() { Issue.record("a stream with an element") }
      await #expect(throws: CancellationError.self) {
        for try await _ in names() { Issue.record("a stream with an element") }
      }
    }
    #expect(recorder.messages.count == 2)
  }

  @Test func theFunctionsOfAClientThrowWhereTheyCan() async {
    let client = Client.testValue
    await withIssueReporters([recorder]) {
      #expect(client.now() == 0)
      client.save("text")
      #expect(throws: UnimplementedFailure.self) { try client.load(1) }
      await #expect(throws: UnimplementedFailure.self) { try await client.fetch(1, "two") }
      #expect(await client.names() == [])
    }
    #expect(recorder.messages.count == 5)
    #expect(recorder.messages.last?.hasPrefix("Unimplemented: Client.names …") == true)
  }

  @Test func theEarlierNameGeneratesPlaceholders() async {
    let count: @Sendable (String) -> Int = XCTUnimplemented("count")
    let names: @Sendable () async -> [String] = XCTUnimplemented("names")
    let load: @Sendable () throws -> Int = XCTUnimplemented("load")
    let fetch: @Sendable () async throws -> Int = XCTUnimplemented("fetch")
    await withIssueReporters([recorder]) {
      #expect(count("a") == 0)
      #expect(await names() == [])
      #expect(throws: XCTUnimplementedFailure.self) { try load() }
      await #expect(throws: XCTUnimplementedFailure.self) { try await fetch() }
    }
    #expect(recorder.messages.count == 4)
  }

  @Test func aFunctionThrowsItsError() async {
    let load: @Sendable (Int) throws(Offline) -> String = unimplemented("load", throwing: Offline())
    let fetch: @Sendable (Int) async throws -> String = unimplemented("fetch", throwing: Offline())
    await withIssueReporters([recorder]) {
      #expect(throws: Offline.self) { try load(1) }
      await #expect(throws: Offline.self) { try await fetch(1) }
    }
    #expect(recorder.messages.count == 2)
  }

  @Test func aValueWithoutPlaceholderStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      struct Settings { var isOn: Bool }
      withIssueReporters([]) {
        let settings: Settings = unimplemented("Settings")
        _ = settings
      }
    }
  }
}
