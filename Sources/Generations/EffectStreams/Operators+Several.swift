extension Publisher {
  /// Returns a stream of the latest values of three streams, which starts when all have sent one.
  public func combineLatest<B, C>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>
  ) -> AnyPublisher<(Output, B, C), Failure> {
    combineLatest(second).combineLatest(third).map { ($0.0, $0.1, $1) }
  }

  /// Returns a stream of the transformed latest values of three streams.
  public func combineLatest<B, C, T>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>,
    _ transform: @escaping (Output, B, C) -> T
  ) -> AnyPublisher<T, Failure> {
    combineLatest(second, third).map { transform($0.0, $0.1, $0.2) }
  }

  /// Returns a stream of the latest values of four streams, which starts when all have sent one.
  public func combineLatest<B, C, D>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>, _ fourth: some Publisher<D, Failure>
  ) -> AnyPublisher<(Output, B, C, D), Failure> {
    combineLatest(second, third).combineLatest(fourth).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Returns a stream of triples of the values of three streams.
  public func zip<B, C>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>
  ) -> AnyPublisher<(Output, B, C), Failure> {
    zip(second).zip(third).map { ($0.0, $0.1, $1) }
  }

  /// Returns a stream of transformed triples of the values of three streams.
  public func zip<B, C, T>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>,
    _ transform: @escaping (Output, B, C) -> T
  ) -> AnyPublisher<T, Failure> {
    zip(second, third).map { transform($0.0, $0.1, $0.2) }
  }

  /// Returns a stream of quadruples of the values of four streams.
  public func zip<B, C, D>(
    _ second: some Publisher<B, Failure>, _ third: some Publisher<C, Failure>, _ fourth: some Publisher<D, Failure>
  ) -> AnyPublisher<(Output, B, C, D), Failure> {
    zip(second, third).zip(fourth).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Returns a stream of the values of the streams that the values are transformed to.
  ///
  /// - Parameter maxPublishers: The number of these streams that run at the same time; the others wait.
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand, _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
    AnyPublisher { observer in
      var (running, hasEnded, isStarting) = (0, false, false)
      /// The values without a stream, after those that have one.
      var (waiting, begun): ([Output?], Int) = ([], 0)
      let lock = DeliveryLock()
      func take() -> Output? {
        guard begun < waiting.count else { return nil }
        begun += 1
        let value = waiting[begun - 1].take()
        if begun > waiting.count / 2 { (waiting, begun) = (Array(waiting[begun...]), 0) }
        return value
      }
      func next() {
        // A loop, not a recursion: any number of streams may end as soon as they start.
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while running < maxPublishers.limit, !observer.isOver, let value = take() {
          running += 1
          transform(value).receive(
            observer: observer.child(
              lock: lock, value: observer.send,
              completion: {
                guard case .finished = $0 else { return observer.send(completion: $0) }
                running -= 1
                next()
              }))
        }
        if hasEnded, running == 0, waiting.isEmpty { observer.send(completion: .finished) }
      }
      receive(
        observer: observer.child(
          lock: lock,
          value: {
            waiting.append($0)
            next()
          },
          completion: {
            guard case .finished = $0 else { return observer.send(completion: $0) }
            hasEnded = true
            next()
          }))
    }
  }

  /// Returns a stream that sends the values in arrays of a number of values; the last one may be shorter.
  public func collect(_ count: Int) -> AnyPublisher<[Output], Failure> {
    AnyPublisher { observer in
      var values: [Output] = []
      receive(
        observer: observer.child(
          value: {
            values.append($0)
            guard values.count == count else { return }
            let full = values
            values = []
            observer.send(full)
          },
          completion: { completion in
            if case .finished = completion, !values.isEmpty { observer.send(values) }
            observer.send(completion: completion)
          }))
    }
  }

  /// Returns a stream of the value at an index.
  public func output(at index: Int) -> AnyPublisher<Output, Failure> { dropFirst(index).prefix(1) }
}

extension Subscribers {
  /// A number of streams that run at the same time.
  public struct Demand: Sendable {
    let limit: Int

    /// Any number.
    public static let unlimited = Demand(limit: .max)
    /// At most a number, which is positive.
    public static func max(_ value: Int) -> Demand { Demand(limit: value) }
  }
}

extension Optional {
  /// The value as a stream, which is empty if there is none.
  public var publisher: AnyPublisher<Wrapped, Never> { (self.map { [$0] } ?? []).publisher }
}
