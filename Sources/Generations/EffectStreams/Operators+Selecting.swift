public import CombineSchedulers
internal import ConcurrencyExtras

extension Publisher {
  /// Returns a stream of the last value.
  public func last() -> AnyPublisher<Output, Failure> {
    collect().compactMap(\.last)
  }

  /// Returns a stream of the first value that satisfies a condition.
  public func first(where predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    filter(predicate).first()
  }

  /// Returns a stream that ends with the first value that does not satisfy a condition.
  public func prefix(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      receive(
        observer: observer.child {
          if predicate($0) { observer.send($0) } else { observer.send(completion: .finished) }
        })
    }
  }

  /// Returns a stream without the first values that satisfy a condition.
  public func drop(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var isDropping = true
      receive(
        observer: observer.child {
          isDropping = isDropping && predicate($0)
          if !isDropping { observer.send($0) }
        })
    }
  }

  /// Returns a stream that sends the combination of all values when this stream ends.
  public func reduce<T>(_ initial: T, _ next: @escaping (T, Output) -> T) -> AnyPublisher<T, Failure> {
    collect().map { $0.reduce(initial, next) }
  }

  /// Returns a stream that sends false at the first value that does not satisfy a condition, or true at the end.
  public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> AnyPublisher<Bool, Failure> {
    contains { !predicate($0) }.map { !$0 }
  }

  /// Returns a stream that sends true at the first value that satisfies a condition, or false at the end.
  public func contains(where predicate: @escaping (Output) -> Bool) -> AnyPublisher<Bool, Failure> {
    first(where: predicate).map { _ in true }.replaceEmpty(with: false)
  }

  /// Returns a stream that sends a default value at the end if there were no values.
  public func replaceEmpty(with output: Output) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var isEmpty = true
      receive(
        observer: observer.child(
          value: {
            isEmpty = false
            observer.send($0)
          },
          completion: { completion in
            if case .finished = completion, isEmpty { observer.send(output) }
            observer.send(completion: completion)
          }))
    }
  }

  /// Returns a stream with a value in place of nil.
  public func replaceNil<T>(with output: T) -> AnyPublisher<T, Failure> where Output == T? { map { $0 ?? output } }

  /// Returns a stream of the values that satisfy a condition. The first thrown error ends it.
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> AnyPublisher<Output, any Error> {
    tryCompactMap { try isIncluded($0) ? $0 : nil }
  }

  /// Returns a stream of the non-nil transformed values. The first thrown error ends it.
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> AnyPublisher<T, any Error> {
    tryMap(transform).compactMap { $0 }
  }

  /// Returns a stream that continues with another one after an error, or fails with the error that `handler` throws.
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> AnyPublisher<Output, any Error>
  where P.Output == Output {
    self.catch { error -> AnyPublisher<Output, any Error> in
      do { return try handler(error).mapError { $0 as any Error } } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
  }

  /// Returns the same stream without an error type. An error traps.
  public func assertNoFailure(_ prefix: String = "") -> AnyPublisher<Output, Never> {
    self.catch { error -> Empty<Output, Never> in preconditionFailure("\(prefix)\(error)") }
  }

  /// Returns a stream that prints its events.
  public func print(_ prefix: String = "") -> AnyPublisher<Output, Failure> {
    func write(_ event: String) { Swift.print(prefix.isEmpty ? event : "\(prefix): \(event)") }
    return handleEvents(
      receiveSubscription: { write("receive subscription") }, receiveOutput: { write("receive value: (\($0))") },
      receiveCompletion: { write("receive \($0)") }, receiveCancel: { write("receive cancel") })
  }

  /// Returns a stream of the decoded values. The first thrown error ends it.
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> AnyPublisher<Item, any Error> where Coder.Input == Output {
    tryMap { try decoder.decode(type, from: $0) }
  }

  /// Returns a stream of the first value of each interval, sent at once, and of one more at the interval's end: the
  /// last one if `latest` is true, otherwise the second.
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var (start, held): (S.SchedulerTimeType?, Output?) = (nil, nil)
      func sendHeld() {
        guard let value = held.take() else { return }
        start = scheduler.now
        observer.send(value)
      }
      let lock = DeliveryLock()
      let release = UncheckedSendable(lock.guarding(sendHeld))
      receive(
        observer: observer.child(
          lock: lock,
          value: { value in
            let now = scheduler.now
            guard let begun = start, begun.distance(to: now) < interval else {
              start = now
              return observer.send(value)
            }
            if held == nil {
              held = value
              scheduler.schedule(
                after: begun.advanced(by: interval), tolerance: scheduler.minimumTolerance, options: nil
              ) { release.value(()) }
            } else if latest {
              held = value
            }
          },
          completion: { completion in
            sendHeld()
            observer.send(completion: completion)
          }))
    }
  }

  /// Returns a stream that ends if no value arrives within an interval.
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var number = 0
      let lock = DeliveryLock()
      let expire = UncheckedSendable(
        lock.guarding { (of: Int) in if of == number { observer.send(completion: .finished) } })
      func wait() {
        number += 1
        let current = number
        scheduler.schedule(
          after: scheduler.now.advanced(by: interval), tolerance: scheduler.minimumTolerance, options: options
        ) { expire.value(current) }
      }
      wait()
      receive(
        observer: observer.child(lock: lock) {
          wait()
          observer.send($0)
        })
    }
  }
}

extension Publisher where Output: Equatable {
  /// Returns a stream that sends true when a value occurs, or false at the end.
  public func contains(_ output: Output) -> AnyPublisher<Bool, Failure> { contains { $0 == output } }
}

/// A decoder of complete documents, such as `JSONDecoder`.
public protocol TopLevelDecoder<Input> {
  /// The type of an encoded document.
  associatedtype Input
  /// Decodes a document.
  func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}
