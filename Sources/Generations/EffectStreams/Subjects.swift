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
  /// An observer, and the order of what it is sent: first the kept values.
  private struct Subscriber {
    let token: Int
    let observer: StreamObserver<Output, Failure>
    let order: DeliveryLock
  }

  private struct State {
    var observers: [Subscriber] = []
    var lastToken = 0
  }

  private let lock = Mutex(())
  private var state = State()
  /// At least the last values up to the capacity.
  private var values: [Output]
  private var completion: Subscribers.Completion<Failure>?
  private let capacity: Int

  /// Creates a state.
  ///
  /// - Parameter capacity: The number of last values that later subscribers get.
  init(values: [Output] = [], capacity: Int = 0) {
    (self.values, self.capacity) = (values, capacity)
  }

  /// The last value of a subject that keeps it.
  var last: Output? { lock.withLock { _ in values.last } }

  func add(_ observer: StreamObserver<Output, Failure>) {
    let order = DeliveryLock()
    order.run {
      let (token, values, completion) = lock.withLock { _ in
        state.lastToken += 1
        let subscriber = Subscriber(token: state.lastToken, observer: observer, order: order)
        if self.completion == nil { state.observers.append(subscriber) }
        return (state.lastToken, self.values.suffix(capacity), self.completion)
      }
      for value in values { observer.send(value) }
      if let completion { return observer.send(completion: completion) }
      observer.onEnd { [weak self] in self?.remove(token) }
    }
  }

  func send(_ value: Output) {
    // Dropped values are released outside the lock, since that may run any code.
    var dropped: ArraySlice<Output> = []
    let subscribers = lock.withLock { _ -> [Subscriber] in
      guard completion == nil else { return [] }
      if capacity > 0 { dropped = keep(value) }
      return state.observers
    }
    withExtendedLifetime(dropped) {}
    for subscriber in subscribers { subscriber.order.run { subscriber.observer.send(value) } }
  }

  func send(completion: Subscribers.Completion<Failure>) {
    let subscribers = lock.withLock { _ -> [Subscriber] in
      guard self.completion == nil else { return [] }
      self.completion = completion
      defer { state.observers = [] }
      return state.observers
    }
    for subscriber in subscribers { subscriber.order.run { subscriber.observer.send(completion: completion) } }
  }

  /// Appends a value, and returns those that are dropped: a current value at once, and otherwise all old ones when they
  /// are half of the array.
  private func keep(_ value: Output) -> ArraySlice<Output> {
    let isDue = capacity == 1 || values.count / 2 >= capacity
    let dropped = isDue ? values.prefix(max(values.count - capacity + 1, 0)) : []
    if !dropped.isEmpty { values = Array(values[dropped.endIndex...]) }
    values.append(value)
    return dropped
  }

  private func remove(_ token: Int) {
    lock.withLock { _ in state.observers.removeAll { $0.token == token } }
  }
}

/// A subject that does not keep its values.
public final class PassthroughSubject<Output, Failure: Error>: Subject, Sendable {
  private let state = SubjectState<Output, Failure>()

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
    state = SubjectState(values: [value], capacity: 1)
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

/// A subject that keeps its last values, which each new subscriber gets first.
package final class BufferedSubject<Output, Failure: Error>: Subject, Sendable {
  private let state: SubjectState<Output, Failure>

  /// Creates a subject.
  ///
  /// - Parameter capacity: The number of values to keep.
  package init(capacity: Int) {
    state = SubjectState(capacity: capacity)
  }

  package func send(_ value: Output) { state.send(value) }
  package func send(completion: Subscribers.Completion<Failure>) { state.send(completion: completion) }
  package func receive(observer: StreamObserver<Output, Failure>) { state.add(observer) }
}
