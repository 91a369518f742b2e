internal import CombineSchedulers
internal import ConcurrencyExtras
internal import Synchronization

/// A subscription, or other work, that can be ended.
public protocol Disposable {
  /// Ends the work.
  func dispose()
}

extension Disposable {
  /// Ends the work together with a bag.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Ends what was put into it when it goes away.
public final class DisposeBag: Sendable {
  private let disposables = Mutex<[UncheckedSendable<any Disposable>]>([])

  /// Creates an empty bag.
  public init() {}

  /// Adds something to be ended.
  public func insert(_ disposable: any Disposable) {
    let disposable = UncheckedSendable(disposable)
    disposables.withLock { $0.append(disposable) }
  }

  deinit {
    for disposable in disposables.withLock({ $0 }) { disposable.value.dispose() }
  }
}

/// Makers of disposables.
public enum Disposables {
  /// Nothing to end.
  public static func create() -> any Disposable { Nothing() }

  /// Runs a closure when it is disposed of, once.
  public static func create(with dispose: @escaping () -> Void) -> any Disposable {
    let dispose = UncheckedSendable(dispose)
    return Subscription(cancellable: AnyCancellable { dispose.value() })
  }

  private struct Nothing: Disposable {
    func dispose() {}
  }
}

/// A subscription of a stream. It goes on until it is disposed of, also if nobody keeps it.
struct Subscription: Disposable {
  let cancellable: any Cancellable

  func dispose() { cancellable.cancel() }
}

/// A disposable as the streams keep it.
struct DisposableCancellable: Cancellable {
  let disposable: any Disposable

  func cancel() { disposable.dispose() }
}
