internal import ConcurrencyExtras

extension Publisher {
  /// The values, transformed.
  public func map<T>(_ transform: @escaping (Output) -> T) -> AnyPublisher<T, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { observer.send(transform($0)) }) }
  }

  /// A property of the values.
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> AnyPublisher<T, Failure> {
    map { $0[keyPath: keyPath] }
  }

  /// The values, transformed; the first error that `transform` throws is the end.
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> AnyPublisher<T, any Error> {
    AnyPublisher { observer in
      receive(
        observer: observer.child(
          value: { value in
            do { observer.send(try transform(value)) } catch { observer.send(completion: .failure(error)) }
          },
          completion: { observer.send(completion: $0.mapError { $0 }) }))
    }
  }

  /// The values, transformed, without those that become nil.
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> AnyPublisher<T, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { transform($0).map(observer.send) }) }
  }

  /// The values that satisfy a condition.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    compactMap { isIncluded($0) ? $0 : nil }
  }

  /// The running results of a combination of the values.
  public func scan<T>(_ initial: T, _ next: @escaping (T, Output) -> T) -> AnyPublisher<T, Failure> {
    AnyPublisher { observer in
      var result = initial
      receive(
        observer: observer.child {
          result = next(result, $0)
          observer.send(result)
        })
    }
  }

  /// All values, at the end.
  public func collect() -> AnyPublisher<[Output], Failure> {
    AnyPublisher { observer in
      var values: [Output] = []
      receive(
        observer: observer.child(
          value: { values.append($0) },
          completion: { completion in
            if case .finished = completion { observer.send(values) }
            observer.send(completion: completion)
          }))
    }
  }

  /// The values without those that equal the one before.
  public func removeDuplicates(by isDuplicate: @escaping (Output, Output) -> Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var last: Output?
      receive(
        observer: observer.child {
          if let last, isDuplicate(last, $0) { return }
          last = $0
          observer.send($0)
        })
    }
  }

  /// At most so many values.
  public func prefix(_ count: Int) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      guard count > 0 else { return observer.send(completion: .finished) }
      var left = count
      receive(
        observer: observer.child {
          left -= 1
          observer.send($0)
          if left == 0 { observer.send(completion: .finished) }
        })
    }
  }

  /// The first value.
  public func first() -> AnyPublisher<Output, Failure> { prefix(1) }

  /// The values behind the first ones.
  public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var left = count
      receive(observer: observer.child { if left > 0 { left -= 1 } else { observer.send($0) } })
    }
  }

  /// No value, only the end.
  public func ignoreOutput() -> AnyPublisher<Never, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { _ in }) }
  }

  /// Values before those of the stream.
  public func prepend(_ values: Output...) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      for value in values { observer.send(value) }
      if !observer.isOver { receive(observer: observer) }
    }
  }

  /// Another stream when this one has finished.
  public func append(_ other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      receive(
        observer: observer.child(
          value: observer.send,
          completion: { completion in
            if case .finished = completion {
              other.receive(observer: observer)
            } else {
              observer.send(completion: completion)
            }
          }))
    }
  }

  /// This stream and another at the same time.
  public func merge(with other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> {
    .merging([eraseToAnyPublisher(), other.eraseToAnyPublisher()])
  }

  /// The latest values of this stream and another, as soon as both have one.
  public func combineLatest<Other>(
    _ other: some Publisher<Other, Failure>
  ) -> AnyPublisher<(Output, Other), Failure> {
    AnyPublisher { observer in
      var (own, others): (Output?, Other?)
      let parts = AnyPublisher<Either<Output, Other>, Failure>.merging([map(Either.own), other.map(Either.other)])
      parts.receive(
        observer: observer.child {
          switch $0 {
          case .own(let value): own = value
          case .other(let value): others = value
          }
          if let own, let others { observer.send((own, others)) }
        })
    }
  }

  /// The values of the streams that the values become, all at the same time.
  public func flatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure>
  where P.Failure == Failure {
    AnyPublisher { observer in
      let running = Running(1)
      func completed(_ completion: Subscribers.Completion<Failure>) {
        if case .finished = completion, !running.endsLast() { return }
        observer.send(completion: completion)
      }
      receive(
        observer: observer.child(
          value: { value in
            running.begin()
            transform(value).receive(observer: observer.child(value: observer.send, completion: completed))
          },
          completion: completed))
    }
  }

  /// The values of the streams that the values become, all at the same time.
  @_disfavoredOverload
  public func flatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure>
  where P.Failure == Never {
    flatMap { transform($0).setFailureType(to: Failure.self) }
  }

  /// Calls closures at the events of the stream.
  public func handleEvents(
    receiveSubscription: (() -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      receiveSubscription?()
      let ended = Running(1)
      let cancelled = UncheckedSendable(receiveCancel)
      observer.onEnd { if ended.endsLast() { cancelled.value?() } }
      receive(
        observer: observer.child(
          value: {
            receiveOutput?($0)
            observer.send($0)
          },
          completion: {
            _ = ended.endsLast()
            receiveCompletion?($0)
            observer.send(completion: $0)
          }))
    }
  }
}

extension Publisher where Output: Equatable {
  /// The values without those that equal the one before.
  public func removeDuplicates() -> AnyPublisher<Output, Failure> { removeDuplicates(by: ==) }
}

extension Publisher where Failure == Never {
  /// The same stream as one that might fail.
  public func setFailureType<E: Error>(to failureType: E.Type) -> AnyPublisher<Output, E> {
    AnyPublisher { observer in
      receive(observer: observer.child(value: observer.send, completion: { _ in observer.send(completion: .finished) }))
    }
  }
}

extension AnyPublisher {
  /// Streams at the same time. The first error is the end.
  package static func merging(_ publishers: [AnyPublisher]) -> AnyPublisher {
    AnyPublisher { observer in
      guard !publishers.isEmpty else { return observer.send(completion: .finished) }
      let running = Running(publishers.count)
      for publisher in publishers where !observer.isOver {
        publisher.receive(
          observer: observer.child(
            value: observer.send,
            completion: { completion in
              if case .finished = completion, !running.endsLast() { return }
              observer.send(completion: completion)
            }))
      }
    }
  }
}

/// A value of one of two streams.
private enum Either<Own, Other> {
  case own(Own)
  case other(Other)
}
