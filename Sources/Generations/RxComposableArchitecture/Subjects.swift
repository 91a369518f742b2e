public import EffectStreams

/// An object that takes the events of a stream.
public protocol ObserverType<Element> {
  /// The value of the events.
  associatedtype Element
  /// Takes an event.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Sends a value.
  public func onNext(_ element: Element) { on(.next(element)) }
  /// Ends the stream with an error.
  public func onError(_ error: any Error) { on(.error(error)) }
  /// Ends the stream.
  public func onCompleted() { on(.completed) }
  /// Returns an observer that passes events on to this one.
  public func asObserver() -> AnyObserver<Element> { AnyObserver { on($0) } }
}

/// The receiving end of an observable.
public struct AnyObserver<Element>: ObserverType {
  private let take: (Event<Element>) -> Void

  /// Creates an observer that calls a closure with each event.
  public init(eventHandler: @escaping (Event<Element>) -> Void) {
    take = eventHandler
  }

  /// Takes an event.
  public func on(_ event: Event<Element>) { take(event) }
}

extension Event {
  /// Sends the event to a subject.
  fileprivate func send(to subject: some Subject<Element, any Error>) {
    switch self {
    case .next(let element): subject.send(element)
    case .error(let error): subject.send(completion: .failure(error))
    case .completed: subject.send(completion: .finished)
    }
  }
}

/// A subject that does not keep its values.
public final class PublishSubject<Element>: Publisher, ObserverType, Sendable {
  private let subject = PassthroughSubject<Element, any Error>()

  /// Creates a subject.
  public init() {}

  /// Sends an event to all subscribers.
  public func on(_ event: Event<Element>) { event.send(to: subject) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
}

/// A subject with a current value. Each new subscriber receives it first.
public final class BehaviorSubject<Element>: Publisher, ObserverType, Sendable {
  private let subject: CurrentValueSubject<Element, any Error>

  /// Creates a subject with a value.
  public init(value: Element) {
    subject = CurrentValueSubject(value)
  }

  /// The value.
  public func value() throws -> Element { subject.value }
  /// Sends an event to all subscribers and keeps its value.
  public func on(_ event: Event<Element>) { event.send(to: subject) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
}

/// A subject that keeps its last values. Each new subscriber receives them first.
public final class ReplaySubject<Element>: Publisher, ObserverType, Sendable {
  private let subject: BufferedSubject<Element, any Error>

  private init(capacity: Int) {
    subject = BufferedSubject(capacity: capacity)
  }

  /// Creates a subject that keeps a number of values.
  public static func create(bufferSize: Int) -> ReplaySubject { ReplaySubject(capacity: bufferSize) }
  /// Creates a subject that keeps all its values.
  public static func createUnbounded() -> ReplaySubject { ReplaySubject(capacity: .max) }

  /// Sends an event to all subscribers and keeps its value.
  public func on(_ event: Event<Element>) { event.send(to: subject) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
}

/// A subject that does not keep its values and never ends.
public final class PublishRelay<Element>: Publisher, Sendable {
  private let subject = PassthroughSubject<Element, any Error>()

  /// Creates a relay.
  public init() {}

  /// Sends a value to all subscribers.
  public func accept(_ element: Element) { subject.send(element) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
}

/// A subject that keeps its last value and never ends.
public final class BehaviorRelay<Element>: Publisher, Sendable {
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
}
