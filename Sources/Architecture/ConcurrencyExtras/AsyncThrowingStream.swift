extension AsyncThrowingStream where Failure == any Error {
  /// A stream without elements that ends only when the task that reads it is cancelled.
  public static var never: AsyncThrowingStream { AsyncThrowingStream { _ in } }

  /// An empty stream that has ended.
  public static var finished: AsyncThrowingStream { finished() }

  /// A stream that has ended, or throws immediately.
  public static func finished(throwing error: Failure? = nil) -> AsyncThrowingStream {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }

  /// A stream of a sequence's elements, which ends or throws as the sequence does.
  ///
  /// Elements are read from the sequence on demand, in the reader's task.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try await source.next() }
  }

  /// A stream and its continuation: the earlier name of `makeStream(of:throwing:bufferingPolicy:)`.
  public static func streamWithContinuation(
    _ elementType: Element.Type = Element.self, bufferingPolicy limit: Continuation.BufferingPolicy = .unbounded
  ) -> (stream: AsyncThrowingStream, continuation: Continuation) {
    makeStream(of: elementType, bufferingPolicy: limit)
  }
}

extension AsyncSequence {
  /// This sequence as a throwing stream, to erase its type.
  public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> where Self: Sendable {
    AsyncThrowingStream(self)
  }
}
