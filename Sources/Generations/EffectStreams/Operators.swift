internal import ConcurrencyExtras

extension Publisher {
  /// Returns a stream of transformed values.
  public func map<T>(_ transform: @escaping (Output) -> T) -> AnyPublisher<T, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { observer.send(transform($0)) }) }
  }

  /// Returns a stream of one property of the values.
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> AnyPublisher<T, Failure> {
    map { $0[keyPath: keyPath] }
  }

  /// Returns a stream of transformed values, which ends with the first error that `transform` throws.
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

  /// Returns a stream of the non-nil transformed values.
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> AnyPublisher<T, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { transform($0).map(observer.send) }) }
  }

  /// Returns a stream of the values that satisfy a condition.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    compactMap { isIncluded($0) ? $0 : nil }
  }

  /// Returns a stream of the intermediate results of combining the values.
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

  /// Returns a stream that sends all values as an array at its end.
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

  /// Returns a stream without values that are duplicates of the preceding one.
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

  /// Returns a stream of the first values, up to a count.
  public func prefix(_ count: Int) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      guard count > 0 else { return observer.send(completion: .finished) }
      var left = count
      receive(
        observer: observer.child {
          // The observer may cause further values before it returns.
          guard left > 0 else { return }
          left -= 1
          let isLast = left == 0
          observer.send($0)
          if isLast { observer.send(completion: .finished) }
        })
    }
  }

  /// Returns a stream of the first value.
  public func first() -> AnyPublisher<Output, Failure> { prefix(1) }

  /// Returns a stream without the first values.
  public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var left = count
      receive(observer: observer.child { if left > 0 { left -= 1 } else { observer.send($0) } })
    }
  }

  /// Returns a stream that ends like this one but sends no values.
  public func ignoreOutput() -> AnyPublisher<Never, Failure> {
    AnyPublisher { observer in receive(observer: observer.child { _ in }) }
  }

  /// Returns a stream that begins with some values.
  public func prepend(_ values: Output...) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      for value in values { observer.send(value) }
      if !observer.isOver { receive(observer: observer) }
    }
  }

  /// Returns a stream that continues with another one after the end of this one.
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

  /// Returns a stream of the values of this stream and another, concurrently.
  public func merge(with other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> {
    .merging([eraseToAnyPublisher(), other.eraseToAnyPublisher()])
  }

  /// Returns a stream of the latest values of two streams, which starts when both have sent one.
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

  /// Returns a stream of the values of the streams that the values are transformed to, concurrently.
  public func flatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure>
  where P.Failure == Failure {
    AnyPublisher { observer in
      let (running, lock) = (Running(1), DeliveryLock())
      func completed(_ completion: Subscribers.Completion<Failure>) {
        if case .finished = completion, !running.endsLast() { return }
        observer.send(completion: completion)
      }
      receive(
        observer: observer.child(
          lock: lock,
          value: { value in
            running.begin()
            transform(value).receive(
              observer: observer.child(lock: lock, value: observer.send, completion: completed))
          },
          completion: completed))
    }
  }

  /// Returns a stream of the values of the streams that the values are transformed to, concurrently.
  @_disfavoredOverload
  public func flatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure>
  where P.Failure == Never {
    flatMap { transform($0).setFailureType(to: Failure.self) }
  }

  /// Returns a stream that calls closures for its events.
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
  /// Returns a stream without values that equal the preceding one.
  public func removeDuplicates() -> AnyPublisher<Output, Failure> { removeDuplicates(by: ==) }
}

extension Publisher where Failure == Never {
  /// Returns the same stream with an error type.
  public func setFailureType<E: Error>(to failureType: E.Type) -> AnyPublisher<Output, E> {
    AnyPublisher { observer in
      receive(observer: observer.child(value: observer.send, completion: { _ in observer.send(completion: .finished) }))
    }
  }
}

extension AnyPublisher {
  /// Returns a stream of the values of several streams, concurrently. The first error ends it.
  package static func merging(_ publishers: [AnyPublisher]) -> AnyPublisher {
    AnyPublisher { observer in
      guard !publishers.isEmpty else { return observer.send(completion: .finished) }
      let (running, lock) = (Running(publishers.count), DeliveryLock())
      for publisher in publishers where !observer.isOver {
        publisher.receive(
          observer: observer.child(
            lock: lock, value: observer.send,
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
