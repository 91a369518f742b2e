internal import Synchronization

extension Publisher {
  /// Returns a stream of pairs of the values of this stream and another. It ends when one of them has ended and its
  /// values are used.
  public func zip<Other>(_ other: some Publisher<Other, Failure>) -> AnyPublisher<(Output, Other), Failure> {
    AnyPublisher { observer in
      var (own, others): ([Output], [Other]) = ([], [])
      var (ownEnded, othersEnded) = (false, false)
      let parts: [AnyPublisher<ZipEvent<Output, Other>, Failure>] = [
        map(ZipEvent.own).append(.ownEnd), other.map(ZipEvent.other).append(.otherEnd),
      ]
      AnyPublisher.merging(parts).receive(
        observer: observer.child {
          switch $0 {
          case .own(let value): own.append(value)
          case .other(let value): others.append(value)
          case .ownEnd: ownEnded = true
          case .otherEnd: othersEnded = true
          }
          while !own.isEmpty, !others.isEmpty { observer.send((own.removeFirst(), others.removeFirst())) }
          if ownEnded && own.isEmpty || othersEnded && others.isEmpty { observer.send(completion: .finished) }
        })
    }
  }

  /// Returns a stream of transformed pairs of the values of this stream and another.
  public func zip<Other, T>(
    _ other: some Publisher<Other, Failure>, _ transform: @escaping (Output, Other) -> T
  ) -> AnyPublisher<T, Failure> {
    zip(other).map { transform($0.0, $0.1) }
  }

  /// Returns a stream of the transformed latest values of two streams, which starts when both have sent one.
  public func combineLatest<Other, T>(
    _ other: some Publisher<Other, Failure>, _ transform: @escaping (Output, Other) -> T
  ) -> AnyPublisher<T, Failure> {
    combineLatest(other).map { transform($0.0, $0.1) }
  }

  /// Returns a stream of the values of this stream and others, all running at the same time.
  public func merge(
    with first: some Publisher<Output, Failure>, _ second: some Publisher<Output, Failure>,
    _ others: AnyPublisher<Output, Failure>...
  ) -> AnyPublisher<Output, Failure> {
    .merging([eraseToAnyPublisher(), first.eraseToAnyPublisher(), second.eraseToAnyPublisher()] + others)
  }

  /// Returns a stream that ends with some values.
  public func append(_ values: Output...) -> AnyPublisher<Output, Failure> { append(values) }

  /// Returns a stream that ends with some values.
  public func append(_ values: some Sequence<Output>) -> AnyPublisher<Output, Failure> {
    append(values.publisher.setFailureType(to: Failure.self))
  }

  /// Returns a stream that begins with some values.
  public func prepend(_ values: some Sequence<Output>) -> AnyPublisher<Output, Failure> {
    prepend(values.publisher.setFailureType(to: Failure.self))
  }

  /// Returns a stream that begins with the values of another one.
  public func prepend(_ other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> { other.append(self) }

  /// Returns a stream of the values until another stream sends one.
  public func prefix<Other, E: Error>(untilOutputFrom other: some Publisher<Other, E>) -> AnyPublisher<Output, Failure>
  {
    AnyPublisher { observer in
      other.receive(
        observer: observer.child(
          value: { (_: Other) in observer.send(completion: .finished) },
          completion: { (_: Subscribers.Completion<E>) in }))
      if !observer.isOver { receive(observer: observer) }
    }
  }

  /// Returns a stream that shares one subscription among all its subscribers.
  public func share() -> AnyPublisher<Output, Failure> {
    let shared = SharedStream(self)
    return AnyPublisher { shared.receive(observer: $0) }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Returns a stream of the values of the latest inner stream.
  public func switchToLatest() -> AnyPublisher<Output.Output, Failure> { switchToLatest { $0 } }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Returns a stream of the values of the latest inner stream.
  @_disfavoredOverload
  public func switchToLatest() -> AnyPublisher<Output.Output, Failure> {
    switchToLatest { $0.setFailureType(to: Failure.self) }
  }
}

extension Publisher {
  /// Returns a stream of the values of the stream made from the latest value.
  package func switchToLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
    AnyPublisher { observer in
      var (latest, hasEnded): (StreamObserver<P.Output, Failure>?, Bool) = (nil, false)
      let lock = DeliveryLock()
      receive(
        observer: observer.child(
          lock: lock,
          value: { value in
            latest?.cancel()
            let next: StreamObserver<P.Output, Failure> = observer.child(
              lock: lock, value: observer.send,
              completion: { completion in
                if case .finished = completion, !hasEnded { return latest = nil }
                observer.send(completion: completion)
              })
            latest = next
            transform(value).receive(observer: next)
          },
          completion: { completion in
            hasEnded = true
            if case .finished = completion, latest?.isOver == false { return }
            observer.send(completion: completion)
          }))
    }
  }
}

/// An event of two zipped streams.
private enum ZipEvent<Own, Other> {
  case own(Own)
  case other(Other)
  case ownEnd
  case otherEnd
}

/// A stream with one subscription for all its subscribers.
///
/// Unchecked: a lock protects the state. Subscribers are called outside the lock.
private final class SharedStream<Output, Failure: Error>: @unchecked Sendable {
  private let upstream: AnyPublisher<Output, Failure>
  private let subscribers = SubjectState<Output, Failure>()
  private let lock = Mutex(())
  private var count = 0
  private var source: StreamObserver<Output, Failure>?

  init(_ upstream: some Publisher<Output, Failure>) {
    self.upstream = upstream.eraseToAnyPublisher()
  }

  func receive(observer: StreamObserver<Output, Failure>) {
    subscribers.add(observer)
    let begun = lock.withLock { _ -> StreamObserver<Output, Failure>? in
      count += 1
      guard source == nil else { return nil }
      let subscribers = subscribers
      source = StreamObserver(value: { subscribers.send($0) }, completion: { subscribers.send(completion: $0) })
      return source
    }
    observer.onEnd { [self] in
      let ended = lock.withLock { _ -> StreamObserver<Output, Failure>? in
        count -= 1
        return count == 0 ? source.take() : nil
      }
      ended?.cancel()
    }
    if let begun { upstream.receive(observer: begun) }
  }
}

/// Combine's names for streams that consist of other streams.
public enum Publishers {
  /// A stream of the values of two streams.
  public struct Merge<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
    private let (first, second): (A, B)

    /// Merges two streams.
    public init(_ first: A, _ second: B) {
      (self.first, self.second) = (first, second)
    }

    /// Subscribes to both streams.
    public func receive(observer: StreamObserver<A.Output, A.Failure>) {
      first.merge(with: second).receive(observer: observer)
    }
  }

  /// A stream of the values of any number of streams.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    private let upstreams: [Upstream]

    /// Merges streams.
    public init(_ upstreams: Upstream...) {
      self.upstreams = upstreams
    }

    /// Merges streams.
    public init(_ upstreams: some Sequence<Upstream>) {
      self.upstreams = Array(upstreams)
    }

    /// Subscribes to all streams.
    public func receive(observer: StreamObserver<Upstream.Output, Upstream.Failure>) {
      AnyPublisher<Upstream.Output, Upstream.Failure>.merging(upstreams.map { $0.eraseToAnyPublisher() })
        .receive(observer: observer)
    }
  }

  /// A stream of the latest values of two streams.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    private let (first, second): (A, B)

    /// Combines two streams.
    public init(_ first: A, _ second: B) {
      (self.first, self.second) = (first, second)
    }

    /// Subscribes to both streams.
    public func receive(observer: StreamObserver<(A.Output, B.Output), A.Failure>) {
      first.combineLatest(second).receive(observer: observer)
    }
  }

  /// A stream of pairs of the values of two streams.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    private let (first, second): (A, B)

    /// Pairs two streams.
    public init(_ first: A, _ second: B) {
      (self.first, self.second) = (first, second)
    }

    /// Subscribes to both streams.
    public func receive(observer: StreamObserver<(A.Output, B.Output), A.Failure>) {
      first.zip(second).receive(observer: observer)
    }
  }
}
