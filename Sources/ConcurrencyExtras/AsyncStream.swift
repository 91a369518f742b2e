// `AsyncStream.makeStream(of:bufferingPolicy:)` is part of the standard library since Swift 5.9.

extension AsyncStream {
  /// A stream that gives nothing and ends only when the task that reads it is cancelled.
  public static var never: AsyncStream { AsyncStream { _ in } }

  /// A stream that has ended.
  public static var finished: AsyncStream { AsyncStream { $0.finish() } }

  /// A stream of a sequence's elements, which ends where the sequence ends or throws.
  ///
  /// Elements are taken from the sequence when the stream's reader asks, in the reader's task: nothing is buffered
  /// and cancelling the reader cancels the sequence. Like every `AsyncStream` it is for one reader.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try? await source.next() }
  }
}

extension AsyncSequence {
  /// This sequence as a stream, so that its type need not be named; it ends where the sequence ends or throws.
  ///
  /// ```swift
  /// client.lines = { url in FileLines(url).map(\.trimmed).eraseToStream() }
  /// ```
  public func eraseToStream() -> AsyncStream<Element> where Self: Sendable {
    AsyncStream(self)
  }
}
