import IssueReporting
import Testing

@Suite struct UnimplementedTests {
  private let recorder = Recorder()

  @Test func aFunctionReportsItsArgumentsAndPlaceAndGivesItsPlaceholder() throws {
    let line: UInt = #line + 1
    let add: @Sendable (Int, String) -> Int = unimplemented("Calculator.add", placeholder: 42)
    #expect(withIssueReporters([recorder]) { add(1, "two") } == 42)
    let message = try #require(recorder.messages.first)
    #expect(message.hasPrefix("Unimplemented: Calculator.add …"))
    #expect(message.contains("IssueReportingTests/UnimplementedTests.swift:\(line)"))
    #expect(message.hasSuffix("(1, \"two\")"))
    #expect(recorder.lines == [line])
  }

  @Test func aProcedureReportsAndGoesOn() {
    let log: @Sendable (String) -> Void = unimplemented("log")
    let reset: @Sendable () -> Void = unimplemented()
    withIssueReporters([recorder]) {
      log("x")
      reset()
    }
    #expect(recorder.messages.count == 2)
    #expect(recorder.messages.last?.hasPrefix("Unimplemented …") == true)
    #expect(recorder.messages.last?.hasSuffix("()") == true)
  }

  @Test func anAsynchronousFunctionGivesItsPlaceholder() async {
    let fetch: @Sendable (Int) async -> String = unimplemented("fetch", placeholder: "nothing")
    #expect(await withIssueReporters([recorder]) { await fetch(3) } == "nothing")
    #expect(recorder.messages.count == 1)
  }

  @Test func aThrowingFunctionThrowsWhatItIs() {
    let load: @Sendable (String) throws -> Int = unimplemented("Disk.load")
    withIssueReporters([recorder]) {
      let failure = #expect(throws: UnimplementedFailure.self) { try load("file") }
      #expect(failure?.description == "Disk.load")
    }
    #expect(recorder.messages.count == 1)
  }

  @Test func anAsynchronousThrowingFunctionThrowsOrGivesItsPlaceholder() async {
    let load: @Sendable (String, Int) async throws -> Int = unimplemented("load")
    let save: @Sendable (String) async throws -> Void = unimplemented("save")
    let size: @Sendable () async throws -> Int = unimplemented("size", placeholder: 9)
    await withIssueReporters([recorder]) {
      await #expect(throws: UnimplementedFailure.self) { try await load("file", 1) }
      await #expect(throws: UnimplementedFailure.self) { try await save("file") }
      #expect(await (try? size()) == 9)
    }
    #expect(recorder.messages.count == 3)
  }
}
