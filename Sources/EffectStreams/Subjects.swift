internal import Synchronization

/// A stream whose owner sends its values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to all subscribers.
  func send(_ value: Output)
  /// Ends the stream for all current and later subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Sends a value to all subscribers.
  public func send() { send(()) }
}

/// The subscribers of a subject, and its end.
///
/// Unchecked: all fields are behind the lock; values and completions are copied and sent outside it.
final class SubjectState<Output, Failure: Error>: @unchecked Sendable {
  private struct State {
    var observers: [(token: Int, observer: StreamObserver<Output, Failure>)] = []
    var lastToken = 0
  }

  private let lock = Mutex(())
  private var state = State()
  private var value: Output?
  private var completion: Subscribers.Completion<Failure>?
  private let replays: Bool

  /// Creates a state.
  ///
  /// - Parameter replays: True if later subscribers get the last value.
  init(value: Output?, replays: Bool) {
    (self.value, self.replays) = (value, replays)
  }

  /// The last value of a subject that keeps it.
  var last: Output? { lock.withLock { _ in value } }

  func add(_ observer: StreamObserver<Output, Failure>) {
    let (token, value, completion) = lock.withLock { _ in
      state.lastToken += 1
      if self.completion == nil { state.observers.append((state.lastToken, observer)) }
      return (state.lastToken, self.value, self.completion)
    }
    if let value { observer.send(value) }
    if let completion { return observer.send(completion: completion) }
    observer.onEnd { [weak self] in self?.remove(token) }
  }

  func send(_ value: Output) {
    let observers = lock.withLock { _ -> [StreamObserver<Output, Failure>] in
      guard completion == nil else { return [] }
      if replays { self.value = value }
      return state.observers.map(\.observer)
    }
    for observer in observers { observer.send(value) }
  }

  func send(completion: Subscribers.Completion<Failure>) {
    let observers = lock.withLock { _ -> [StreamObserver<Output, Failure>] in
      guard self.completion == nil else { return [] }
      self.completion = completion
      defer { state.observers = [] }
      return state.observers.map(\.observer)
    }
    for observer in observers { observer.send(completion: completion) }
  }

  private func remove(_ token: Int) {
    lock.withLock { _ in state.observers.removeAll { $0.token == token } }
  }
}

/// A subject that does not keep its values.
public final class PassthroughSubject<Output, Failure: Error>: Subject, Sendable {
  private let state = SubjectState<Output, Failure>(value: nil, replays: false)

  /// Creates a subject.
  public init() {}

  /// Sends a value to all subscribers.
  public func send(_ value: Output) { state.send(value) }
  /// Ends the stream for all current and later subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { state.send(completion: completion) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Output, Failure>) { state.add(observer) }
}

/// A subject with a current value, which each new subscriber gets first.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, Sendable {
  private let state: SubjectState<Output, Failure>

  /// Creates a subject with a value.
  public init(_ value: Output) {
    state = SubjectState(value: value, replays: true)
  }

  /// The value; setting it sends it.
  public var value: Output {
    get {
      guard let value = state.last else { preconditionFailure("a current value is there from the beginning") }
      return value
    }
    set { state.send(newValue) }
  }

  /// Sends a value to all subscribers and keeps it.
  public func send(_ value: Output) { state.send(value) }
  /// Ends the stream for all current and later subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { state.send(completion: completion) }
  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Output, Failure>) { state.add(observer) }
}

/// A subject without an initial value. Each new subscriber gets the last value as soon as there is one.
final class ReplaySubject<Output, Failure: Error>: Sendable {
  private let state = SubjectState<Output, Failure>(value: nil, replays: true)

  func send(_ value: Output) { state.send(value) }
  func send(completion: Subscribers.Completion<Failure>) { state.send(completion: completion) }
  func receive(observer: StreamObserver<Output, Failure>) { state.add(observer) }
}
