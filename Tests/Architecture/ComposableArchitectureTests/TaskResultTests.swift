import ComposableArchitecture
import Testing

@MainActor @Suite struct TaskResultTests {
  private struct Code: Error, Hashable { var number: Int }
  private struct Plain: Error {}

  @Test func anOperationIsCaught() async throws {
    let success = await TaskResult { 1 }
    #expect(try success.value == 1)
    let failure = await TaskResult<Int> { throw Code(number: 2) }
    #expect(throws: Code(number: 2)) { try failure.value }
  }

  @Test func resultsOfEquatableErrorsAreEquatable() {
    typealias R = TaskResult<Int>
    #expect(R.success(1) == .success(1))
    #expect(R.success(1) != .success(2))
    #expect(R.success(1) != .failure(Plain()))
    #expect(R.failure(Code(number: 1)) == .failure(Code(number: 1)))
    #expect(R.failure(Code(number: 1)) != .failure(Code(number: 2)))
    #expect(R.failure(Code(number: 1)) != .failure(Plain()))
    #expect(R.failure(Code(number: 1)).hashValue == R.failure(Code(number: 1)).hashValue)
    #expect(Set([R.success(1), .success(1), .failure(Code(number: 1))]).count == 2)
  }

  @Test func errorsThatCannotBeComparedAreReported() {
    let issues = Issues.of {
      #expect(TaskResult<Int>.failure(Plain()) != .failure(Plain()))
    }
    #expect(issues.messages.first?.hasPrefix("\"TaskResultTests.Plain\" is not equatable. …") == true)
    let hashing = Issues.of { _ = TaskResult<Int>.failure(Plain()).hashValue }
    #expect(hashing.messages.first?.hasPrefix("\"TaskResultTests.Plain\" is not hashable. …") == true)
    #expect(issues.messages.first?.contains("To test two values of this type") == true)
    #expect(hashing.messages.first?.contains("To hash a value of this type") == true)
    #expect(hashing.messages.first?.contains("extension TaskResultTests.Plain: Hashable {}") == true)
  }

  @Test func resultsBecomeOneAnother() throws {
    let result = Result<Int, any Error>(TaskResult.success(1).map { $0 + 1 })
    #expect(try result.get() == 2)
    let failure = TaskResult(Result<Int, Code>.failure(Code(number: 1))).flatMap { .success("\($0)") }
    #expect(throws: Code(number: 1)) { try failure.value }
    #expect(TaskResult.success(3)[case: \.success] == 3)
  }

  @Test func actionsThatCarryOneAreEquatable() async {
    enum Action: Equatable { case response(TaskResult<String>) }
    let response = await Action.response(TaskResult { "a" })
    #expect(response == .response(.success("a")))
  }
}
