public import CombineSchedulers

/// A stream of values that ends with or without an error: the part of Combine's `Publisher` that effects need.
///
/// A stream does nothing before a subscription. There is no demand; it sends at its own pace.
public protocol Publisher<Output, Failure> {
  /// The type of the values.
  associatedtype Output
  /// The type of the error; `Never` for a stream that cannot fail.
  associatedtype Failure: Error

  /// Starts to send values to an observer, until the observer's end.
  func receive(observer: StreamObserver<Output, Failure>)
}

/// A type-erased stream.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  private let begin: (StreamObserver<Output, Failure>) -> Void

  /// Wraps a stream.
  public init(_ publisher: some Publisher<Output, Failure>) {
    begin = { publisher.receive(observer: $0) }
  }

  /// Creates a stream from a closure that starts it.
  package init(begin: @escaping (StreamObserver<Output, Failure>) -> Void) {
    self.begin = begin
  }

  /// Starts to send values to an observer.
  public func receive(observer: StreamObserver<Output, Failure>) {
    begin(observer)
  }
}

extension Publisher {
  /// Returns this stream without its type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

  /// Subscribes to the stream.
  ///
  /// - Returns: A token that must be kept while values should be received.
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void = { _ in },
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let observer = StreamObserver<Output, Failure>(value: receiveValue, completion: receiveCompletion)
    receive(observer: observer)
    return AnyCancellable { observer.cancel() }
  }
}

extension Publisher where Failure == Never {
  /// Subscribes to the stream.
  ///
  /// - Returns: A token that must be kept while values should be received.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Sets a property of an object to each value. The subscription keeps the object.
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    sink { object[keyPath: keyPath] = $0 }
  }

  /// Sets an optional property of an object to each value. The subscription keeps the object.
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output?>, on object: Root) -> AnyCancellable {
    sink { object[keyPath: keyPath] = $0 }
  }
}
