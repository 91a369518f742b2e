extension Subscribers.Completion {
  /// Returns the completion with a transformed error.
  package func mapError<E: Error>(_ transform: (Failure) -> E) -> Subscribers.Completion<E> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}

extension Publisher {
  /// Returns a stream with a transformed error.
  public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> AnyPublisher<Output, E> {
    AnyPublisher { observer in
      receive(
        observer: observer.child(
          value: observer.send, completion: { observer.send(completion: $0.mapError(transform)) }))
    }
  }

  /// Returns a stream that continues with another one after an error.
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> AnyPublisher<Output, P.Failure>
  where P.Output == Output {
    AnyPublisher { observer in
      receive(
        observer: observer.child(
          value: observer.send,
          completion: {
            switch $0 {
            case .finished: observer.send(completion: .finished)
            case .failure(let error): handler(error).receive(observer: observer)
            }
          }))
    }
  }

  /// Returns a stream that sends a value in place of an error.
  public func replaceError(with output: Output) -> AnyPublisher<Output, Never> {
    self.catch { _ in Just(output) }
  }

  /// Returns a stream of results that does not fail.
  package func results() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }
  }

  /// Returns a stream that restarts after an error, up to a number of times.
  public func retry(_ retries: Int) -> AnyPublisher<Output, Failure> {
    guard retries > 0 else { return eraseToAnyPublisher() }
    return self.catch { _ in retry(retries - 1) }
  }
}
