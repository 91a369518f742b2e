/// A stream of one value.
public struct Just<Output>: Publisher {
  /// A single value cannot fail.
  public typealias Failure = Never
  /// The value.
  public let output: Output

  /// Creates a stream of a value.
  public init(_ output: Output) {
    self.output = output
  }

  /// Sends the value.
  public func receive(observer: StreamObserver<Output, Never>) {
    observer.send(output)
    observer.send(completion: .finished)
  }
}

/// A stream that only fails.
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error.
  public let error: Failure

  /// Creates a stream that fails.
  public init(error: Failure) {
    self.error = error
  }

  /// Creates a stream that fails.
  public init(outputType: Output.Type, failure: Failure) {
    error = failure
  }

  /// Fails.
  public func receive(observer: StreamObserver<Output, Failure>) {
    observer.send(completion: .failure(error))
  }
}

/// A stream without values.
public struct Empty<Output, Failure: Error>: Publisher {
  /// True if the stream ends immediately; otherwise it never ends.
  public let completeImmediately: Bool

  /// Creates a stream without values.
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Creates a stream without values.
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.completeImmediately = completeImmediately
  }

  /// Ends if `completeImmediately` is true.
  public func receive(observer: StreamObserver<Output, Failure>) {
    if completeImmediately { observer.send(completion: .finished) }
  }
}

/// A stream that is created for each subscription.
public struct Deferred<Base: Publisher>: Publisher {
  /// The values of the stream.
  public typealias Output = Base.Output
  /// The error of the stream.
  public typealias Failure = Base.Failure
  /// Creates the stream.
  public let createPublisher: () -> Base

  /// Creates a stream that calls `createPublisher` for each subscription.
  public init(createPublisher: @escaping () -> Base) {
    self.createPublisher = createPublisher
  }

  /// Creates a stream and starts it.
  public func receive(observer: StreamObserver<Output, Failure>) {
    createPublisher().receive(observer: observer)
  }
}

/// The result of a callback, which is called when the future is created. Every subscriber gets the result.
public final class Future<Output, Failure: Error>: Publisher {
  /// Fulfils the future. Further calls have no effect.
  public typealias Promise = (Result<Output, Failure>) -> Void
  private let subject = BufferedSubject<Output, Failure>(capacity: 1)

  /// Calls a closure that fulfils the promise, now or later.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    let subject = subject
    attemptToFulfill { result in
      switch result {
      case .success(let value):
        subject.send(value)
        subject.send(completion: .finished)
      case .failure(let error): subject.send(completion: .failure(error))
      }
    }
  }

  /// Sends the result as soon as it is available.
  public func receive(observer: StreamObserver<Output, Failure>) {
    subject.receive(observer: observer)
  }
}

extension Result {
  /// The result as a stream.
  public var publisher: AnyPublisher<Success, Failure> {
    AnyPublisher { observer in
      switch self {
      case .success(let value):
        observer.send(value)
        observer.send(completion: .finished)
      case .failure(let error): observer.send(completion: .failure(error))
      }
    }
  }
}

extension Sequence {
  /// The elements as a stream.
  public var publisher: AnyPublisher<Element, Never> {
    AnyPublisher { observer in
      for element in self where !observer.isOver { observer.send(element) }
      observer.send(completion: .finished)
    }
  }
}
