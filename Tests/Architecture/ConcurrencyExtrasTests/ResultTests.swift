import ConcurrencyExtras
import Testing

@Suite struct ResultTests {
  private struct Failure: Error {}

  private func load(_ fails: Bool) async throws -> Int {
    await Task.yield()
    if fails { throw Failure() }
    return 1
  }

  @Test func anAsynchronousOperationGivesAResult() async {
    let success = await Result { try await load(false) }
    #expect((try? success.get()) == 1)
    let failure: Result<Int, any Error> = await Result { try await load(true) }
    #expect(throws: Failure.self) { try failure.get() }
    let synchronous = Result { 1 }
    #expect(synchronous == .success(1))
  }

  private func count(_ fails: Bool) async throws(Failure) -> Int {
    await Task.yield()
    if fails { throw Failure() }
    return 1
  }

  @Test func aResultKeepsTheTypeOfError() async {
    let success: Result<Int, Failure> = await Result { () async throws(Failure) in try await count(false) }
    #expect((try? success.get()) == 1)
    let failure = await Result { () async throws(Failure) -> Int in try await count(true) }
    #expect(type(of: failure) == Result<Int, Failure>.self)
    #expect(throws: Failure.self) { try failure.get() }
  }

  @Test func aLockedValueMayBeUsedAgain() {
    let value = LockIsolated(1)
    value.withValue { outer in
      #expect(value.value == 1)
      outer += 1
    }
    #expect(value.value == 2)
  }
}
