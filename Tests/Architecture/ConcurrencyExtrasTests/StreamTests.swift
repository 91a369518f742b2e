import ConcurrencyExtras
import Testing

@Suite(.timeLimit(.minutes(30))) struct StreamTests {
  private struct Failure: Error, Equatable {}

  /// Counts up to a limit and then ends or throws.
  private struct Counting: AsyncSequence, Sendable {
    var limit: Int
    var throwsAtEnd = false

    struct Iterator: AsyncIteratorProtocol {
      var count = 0
      let sequence: Counting

      mutating func next() async throws -> Int? {
        guard count < sequence.limit else {
          if sequence.throwsAtEnd { throw StreamTests.Failure() }
          return nil
        }
        count += 1
        return count
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
  }

  @Test func aFinishedStreamGivesNothing() async throws {
    for await element in AsyncStream<Int>.finished { Issue.record("gave \(element)") }
    for try await element in AsyncThrowingStream<Int, any Error>.finished { Issue.record("gave \(element)") }
    await #expect(throws: Failure()) {
      for try await _ in AsyncThrowingStream<Int, any Error>.finished(throwing: Failure()) {}
    }
  }

  @Test func aStreamThatGivesNothingEndsWithItsReader() async throws {
    let isOver = LockIsolated(false)
    let readers = [
      Task {
        for await _ in AsyncStream<Int>.never {}
        isOver.setValue(true)
      },
      Task {
        do { for try await _ in AsyncThrowingStream<Int, any Error>.never {} } catch {}
        isOver.setValue(true)
      },
    ]
    await Task.megaYield()
    #expect(!isOver.value)
    for reader in readers {
      reader.cancel()
      await reader.value
    }
  }

  @Test func anErasedSequenceGivesItsElementsAndEnds() async throws {
    var elements: [Int] = []
    for await element in Counting(limit: 3).eraseToStream() { elements.append(element) }
    for try await element in Counting(limit: 2).eraseToThrowingStream() { elements.append(element) }
    #expect(elements == [1, 2, 3, 1, 2])
  }

  @Test func anErasedSequencesErrorEndsAStreamAndIsThrownByAThrowingOne() async {
    let elements = LockIsolated<[Int]>([])
    let failing = Counting(limit: 1, throwsAtEnd: true)
    for await element in failing.eraseToStream() { elements.withValue { $0.append(element) } }
    await #expect(throws: Failure()) {
      for try await element in failing.eraseToThrowingStream() { elements.withValue { $0.append(element) } }
    }
    #expect(elements.value == [1, 1])
  }

  @Test func anErasedSequenceIsCancelledWithItsReader() async {
    let isWaiting = AsyncStream.makeStream(of: Void.self)
    let source = AsyncStream<Int> {
      isWaiting.continuation.yield()
      try? await Task.never()
      return Task.isCancelled ? nil : 1
    }
    let reader = Task { for await _ in source.eraseToStream() {} }
    for await _ in isWaiting.stream { break }
    reader.cancel()
    await reader.value
  }

  @Test func aSequenceIsAskedOnlyWhenItsReaderAsks() async {
    let asked = LockIsolated(0)
    let source = AsyncStream<Int> {
      asked.withValue { $0 += 1 }
      return asked.value
    }
    var iterator = source.eraseToStream().makeAsyncIterator()
    #expect(asked.value == 0)
    #expect(await iterator.next() == 1)
    await Task.megaYield()
    #expect(asked.value == 1)
  }

  @Test func aStreamIsMadeByItsEarlierName() async throws {
    let numbers = AsyncStream<Int>.streamWithContinuation()
    let names = AsyncThrowingStream.streamWithContinuation(String.self, bufferingPolicy: .bufferingNewest(1))
    numbers.continuation.yield(1)
    numbers.continuation.finish()
    for name in ["old", "new"] { names.continuation.yield(name) }
    names.continuation.finish(throwing: Failure())
    var elements: [Int] = []
    for await number in numbers.stream { elements.append(number) }
    #expect(elements == [1])
    var iterator = names.stream.makeAsyncIterator()
    #expect(try await iterator.next() == "new")
    await #expect(throws: Failure()) { for try await _ in names.stream {} }
  }
}
