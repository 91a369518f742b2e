internal import Glibc
internal import Observation
internal import Reducers

extension Store {
  /// Calls `onChange` with the state now, and after each turn in which actions were reduced.
  ///
  /// - Returns: Keep it for as long as the calls shall come.
  public func subscribe(_ onChange: @escaping @MainActor (State) -> Void) -> StoreSubscription {
    onChange(core.state)
    let core = core
    let id = core.observers.add { onChange(core.state) }
    return StoreSubscription(observers: core.observers, id: id)
  }

  /// Calls `onChange` with a property of the state now, and whenever it is another one.
  public func subscribe<Value: Equatable>(
    _ keyPath: KeyPath<State, Value>, _ onChange: @escaping @MainActor (Value) -> Void
  ) -> StoreSubscription {
    subscribe(keyPath, removeDuplicates: { $0 == $1 }, onChange)
  }

  /// Calls `onChange` with a property of the state now, and whenever it is another one as `isDuplicate` sees it.
  ///
  /// With an `@ObservableState` only changes of that property cost anything.
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
      update(core.read { $0[keyPath: keyPath] })
      let id = core.observers.add { update(core.read { $0[keyPath: keyPath] }) }
      return StoreSubscription(observers: core.observers, id: id)
    }
    return StoreSubscription(tracking: { core.read { $0[keyPath: keyPath] } }, update)
  }

  /// The values of a property: the one now, then each one that is another.
  ///
  /// A reader that is slower than the changes gets the newest one.
  public func values<Value: Equatable & Sendable>(of keyPath: KeyPath<State, Value>) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let subscription = subscribe(keyPath) { continuation.yield($0) }
      continuation.onTermination = { _ in
        Task { @MainActor in subscription.cancel() }
      }
    }
  }
}

/// Runs a closure now, and again whenever something that it read from a store has changed.
///
/// - Returns: Keep it for as long as the closure shall be run.
@MainActor
public func observe(_ apply: @escaping @MainActor () -> Void) -> StoreSubscription {
  StoreSubscription(tracking: apply) {}
}

/// Ends a subscription when it goes away, or when it is told to.
@MainActor
public final class StoreSubscription {
  private var end: (@MainActor () -> Void)?

  init(observers: StoreObservers, id: UInt64) {
    end = { [weak observers] in observers?.remove(id) }
  }

  /// A subscription to what a closure reads through Observation.
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
    /// The main actor's.
    private nonisolated let thread = pthread_self()

    init(read: @escaping @MainActor () -> Value, update: @escaping @MainActor (Value) -> Void) {
      self.read = read
      self.update = update
    }

    func run() {
      guard !isOver else { return }
      let value = withObservationTracking(read) { [weak self] in self?.changed() }
      update(value)
    }

    /// Fields of stores tell of a change when a turn is over, on the main actor. Other observables tell on any thread,
    /// and some of them before they change: they are read a little later.
    private nonisolated func changed() {
      let isTold = Reducing.afterwards(self) { [weak self] in
        if pthread_self() == self?.thread { MainActor.assumeIsolated { self?.run() } } else { self?.runSoon() }
      }
      if !isTold { runSoon() }
    }

    private nonisolated func runSoon() {
      Task { @MainActor in self.run() }
    }
  }
}
