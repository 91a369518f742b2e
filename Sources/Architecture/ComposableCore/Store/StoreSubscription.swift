internal import FeatureCore
internal import Observation

extension Store {
  /// Calls `onChange` with the current state, and after each turn in which actions were reduced.
  ///
  /// - Returns: The subscription; releasing it ends the calls.
  public func subscribe(_ onChange: @escaping @MainActor (State) -> Void) -> StoreSubscription {
    let core = core
    // Before the first call, which may send an action.
    let id = core.observers.add { onChange(core.state) }
    onChange(core.state)
    return StoreSubscription(observers: core.observers, id: id)
  }

  /// Calls `onChange` with the current value of a property, and whenever the value differs from the last.
  public func subscribe<Value: Equatable>(
    _ keyPath: KeyPath<State, Value>, _ onChange: @escaping @MainActor (Value) -> Void
  ) -> StoreSubscription {
    subscribe(keyPath, removeDuplicates: { $0 == $1 }, onChange)
  }

  /// Calls `onChange` with the current value of a property, and whenever the value is not a duplicate of the last
  /// according to `isDuplicate`.
  ///
  /// With an `@ObservableState`, only changes of that property have a cost.
  public func subscribe<Value>(
    _ keyPath: KeyPath<State, Value>, removeDuplicates isDuplicate: @escaping @MainActor (Value, Value) -> Bool,
    _ onChange: @escaping @MainActor (Value) -> Void
  ) -> StoreSubscription {
    let core = core
    var last: Value?
    func update(_ value: Value) {
      if let last, isDuplicate(last, value) { return }
      last = value
      onChange(value)
    }
    guard State.self is any ObservableState.Type else {
      let id = core.observers.add { update(core.read { $0[keyPath: keyPath] }) }
      update(core.read { $0[keyPath: keyPath] })
      return StoreSubscription(observers: core.observers, id: id)
    }
    return StoreSubscription(tracking: { core.read { $0[keyPath: keyPath] } }, update)
  }

  /// The values of a property: the current one, then each different one.
  ///
  /// A reader that is slower than the changes receives only the newest value.
  public func values<Value: Equatable & Sendable>(of keyPath: KeyPath<State, Value>) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let subscription = subscribe(keyPath) { continuation.yield($0) }
      continuation.onTermination = { _ in
        Task { @MainActor in subscription.cancel() }
      }
    }
  }
}

/// Runs a closure now, and again whenever a value that it read from a store has changed.
///
/// - Returns: The subscription; releasing it ends the observation.
@MainActor
public func observe(_ apply: @escaping @MainActor () -> Void) -> StoreSubscription {
  StoreSubscription(tracking: apply) {}
}

/// Ends a subscription when it is released or cancelled.
@MainActor
public final class StoreSubscription {
  private var end: (@MainActor () -> Void)?

  init(observers: StoreObservers, id: UInt64) {
    end = { [weak observers] in observers?.remove(id) }
  }

  /// A subscription to the values that a closure reads through Observation.
  init<Value>(tracking read: @escaping @MainActor () -> Value, _ update: @escaping @MainActor (Value) -> Void) {
    let tracking = Tracking(read: read, update: update)
    end = { tracking.isOver = true }
    tracking.run()
  }

  /// Ends the calls.
  public func cancel() {
    end?()
    end = nil
  }

  isolated deinit {
    end?()
  }

  @MainActor
  private final class Tracking<Value> {
    let read: @MainActor () -> Value
    let update: @MainActor (Value) -> Void
    var isOver = false

    init(read: @escaping @MainActor () -> Value, update: @escaping @MainActor (Value) -> Void) {
      self.read = read
      self.update = update
    }

    func run() {
      guard !isOver else { return }
      let value = withObservationTracking(read) { [weak self] in self?.changed() }
      update(value)
    }

    /// Fields of stores report changes after a turn, on the main actor. Other observables report on any thread, and
    /// some before the change, so they are read a little later.
    private nonisolated func changed() {
      if !Reducing.afterwards(self, { [weak self] in self?.run() }) { Task { @MainActor in self.run() } }
    }
  }
}
