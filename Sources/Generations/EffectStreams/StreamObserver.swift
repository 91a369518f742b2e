package import CombineSchedulers
internal import ConcurrencyExtras
package import FeatureCore
internal import Synchronization

/// Combine's names for the completion of streams.
public enum Subscribers {
  /// The end of a stream.
  public enum Completion<Failure: Error> {
    /// Without an error.
    case finished
    /// With an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}

/// The receiving end of a stream: takes values, then one completion. Events after the end are ignored.
///
/// Unchecked: the state is behind its lock. A stream sends values to its observers one after another, on the thread of
/// its source or of a scheduler.
public final class StreamObserver<Output, Failure: Error>: @unchecked Sendable {
  private struct State {
    var isOver = false
    var lastToken = 0
    var cleanups: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())
  private let onValue: (Output) -> Void
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void
  /// The effect that contains the stream.
  package let context: EffectContext?

  package init(
    context: EffectContext? = .current, value: @escaping (Output) -> Void,
    completion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    (self.context, onValue, onCompletion) = (context, value, completion)
  }

  /// Returns an observer for an upstream of this observer's stream. It ends with this observer.
  ///
  /// - Parameters:
  ///   - context: The context of the upstream; nil for that of this observer.
  ///   - lock: A lock for operators with several upstreams, or with a scheduler.
  package func child<Value, Error>(
    in context: EffectContext? = nil, lock: DeliveryLock? = nil, value: @escaping (Value) -> Void,
    completion: @escaping (Subscribers.Completion<Error>) -> Void
  ) -> StreamObserver<Value, Error> {
    let child = StreamObserver<Value, Error>(
      context: context ?? self.context, value: lock?.guarding(value) ?? value,
      completion: lock?.guarding(completion) ?? completion)
    if let token = onEnd({ child.cancel() }) { child.onEnd { [weak self] in self?.forget(token) } }
    return child
  }

  /// Returns an observer of a stream of other values that ends as this observer's stream.
  package func child<Value>(
    lock: DeliveryLock? = nil, value: @escaping (Value) -> Void
  ) -> StreamObserver<Value, Failure> {
    child(lock: lock, value: value, completion: { [self] in send(completion: $0) })
  }

  /// True after the completion or a cancellation.
  package var isOver: Bool { state.withLock { $0.isOver } }

  /// Sends a value.
  public func send(_ value: Output) {
    if !isOver { onValue(value) }
  }

  /// Ends the stream.
  public func send(completion: Subscribers.Completion<Failure>) {
    if end() { onCompletion(completion) }
  }

  /// Ends the stream without notifying the observer.
  package func cancel() {
    _ = end()
  }

  /// Runs a closure at the end of the stream, or immediately if the stream has ended.
  ///
  /// - Returns: A token for removing the closure; nil if the stream has ended.
  @discardableResult
  package func onEnd(_ cleanup: @escaping @Sendable () -> Void) -> Int? {
    let token = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.lastToken += 1
      state.cleanups[state.lastToken] = cleanup
      return state.lastToken
    }
    if token == nil { cleanup() }
    return token
  }

  /// Keeps a cancellable until the end of the stream, and cancels it then.
  package func keep(_ cancellable: any Cancellable) {
    let cancellable = UncheckedSendable(cancellable)
    onEnd { cancellable.value.cancel() }
  }

  private func forget(_ token: Int) {
    state.withLock { _ = $0.cleanups.removeValue(forKey: token) }
  }

  private func end() -> Bool {
    let cleanups = state.withLock { state -> [Int: @Sendable () -> Void]? in
      guard !state.isOver else { return nil }
      state.isOver = true
      defer { state.cleanups = [:] }
      return state.cleanups
    }
    guard let cleanups else { return false }
    for (_, cleanup) in cleanups.sorted(by: { $0.key < $1.key }) { cleanup() }
    return true
  }
}

extension StreamObserver where Output == Void {
  /// Sends a value.
  public func send() { send(()) }
}
