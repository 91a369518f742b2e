public import EffectStreams

/// A subject that does not keep its values.
public final class PublishSubject<Element>: Publisher, Sendable {
  /// The values of the stream.
  public typealias Output = Element
  /// Any error.
  public typealias Failure = any Error
  private let subject = PassthroughSubject<Element, any Error>()

  /// Creates a subject.
  public init() {}

  /// Sends a value to all subscribers.
  public func onNext(_ element: Element) { subject.send(element) }
  /// Ends the stream with an error.
  public func onError(_ error: any Error) { subject.send(completion: .failure(error)) }
  /// Ends the stream.
  public func onCompleted() { subject.send(completion: .finished) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
  /// Returns the subject as a stream.
  public func asObservable() -> Observable<Element> { eraseToAnyPublisher() }
}

/// A subject that does not keep its values and never ends.
public final class PublishRelay<Element>: Publisher, Sendable {
  /// The values of the stream.
  public typealias Output = Element
  /// Any error.
  public typealias Failure = any Error
  private let subject = PassthroughSubject<Element, any Error>()

  /// Creates a relay.
  public init() {}

  /// Sends a value to all subscribers.
  public func accept(_ element: Element) { subject.send(element) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
  /// Returns the relay as a stream.
  public func asObservable() -> Observable<Element> { eraseToAnyPublisher() }
}

/// A subject that keeps its last value and never ends.
public final class BehaviorRelay<Element>: Publisher, Sendable {
  /// The values of the stream.
  public typealias Output = Element
  /// Any error.
  public typealias Failure = any Error
  private let subject: CurrentValueSubject<Element, any Error>

  /// Creates a relay with a value.
  public init(value: Element) {
    subject = CurrentValueSubject(value)
  }

  /// The value.
  public var value: Element { subject.value }
  /// Sends a value to all subscribers and keeps it.
  public func accept(_ element: Element) { subject.send(element) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
  /// Returns the relay as a stream.
  public func asObservable() -> Observable<Element> { eraseToAnyPublisher() }
}

/// A subject with a current value. Each new subscriber receives it first.
public final class BehaviorSubject<Element>: Publisher, Sendable {
  /// The values of the stream.
  public typealias Output = Element
  /// Any error.
  public typealias Failure = any Error
  private let subject: CurrentValueSubject<Element, any Error>

  /// Creates a subject with a value.
  public init(value: Element) {
    subject = CurrentValueSubject(value)
  }

  /// The value.
  public func value() throws -> Element { subject.value }
  /// Sends a value to all subscribers and keeps it.
  public func onNext(_ element: Element) { subject.send(element) }
  /// Ends the stream with an error.
  public func onError(_ error: any Error) { subject.send(completion: .failure(error)) }
  /// Ends the stream.
  public func onCompleted() { subject.send(completion: .finished) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
  /// Returns the subject as a stream.
  public func asObservable() -> Observable<Element> { eraseToAnyPublisher() }
}
