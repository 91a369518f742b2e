// `AsyncStream.makeStream(of:bufferingPolicy:)` has been part of the standard library since Swift 5.9.

extension AsyncStream {
  /// A stream without elements that ends only when the task that reads it is cancelled.
  public static var never: AsyncStream { AsyncStream { _ in } }

  /// An empty stream that has ended.
  public static var finished: AsyncStream { AsyncStream { $0.finish() } }

  /// A stream of a sequence's elements, which ends when the sequence ends or throws.
  ///
  /// Elements are read from the sequence on demand, in the reader's task: nothing is buffered, and cancelling the
  /// reader cancels the sequence. Like every `AsyncStream`, it supports a single reader.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try? await source.next() }
  }

  /// A stream and its continuation: the earlier name of `makeStream(of:bufferingPolicy:)`.
  public static func streamWithContinuation(
    _ elementType: Element.Type = Element.self, bufferingPolicy limit: Continuation.BufferingPolicy = .unbounded
  ) -> (stream: AsyncStream, continuation: Continuation) {
    makeStream(of: elementType, bufferingPolicy: limit)
  }
}

extension AsyncSequence {
  /// This sequence as a stream, to erase its type; it ends when the sequence ends or throws.
  ///
  /// ```swift
  /// client.lines = { url in FileLines(url).map(\.trimmed).eraseToStream() }
  /// ```
  public func eraseToStream() -> AsyncStream<Element> where Self: Sendable {
    AsyncStream(self)
  }
}
