internal import CombineSchedulers
internal import ConcurrencyExtras
internal import Synchronization

/// A subscription or other work that can be ended.
public protocol Disposable {
  /// Ends the work.
  func dispose()
}

extension Disposable {
  /// Adds the work to a bag, which ends it.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// A collection of disposables that disposes of them when it is released.
public final class DisposeBag: Sendable {
  private let disposables = Mutex<[UncheckedSendable<any Disposable>]>([])

  /// Creates an empty bag.
  public init() {}

  /// Adds a disposable.
  public func insert(_ disposable: any Disposable) {
    let disposable = UncheckedSendable(disposable)
    disposables.withLock { $0.append(disposable) }
  }

  deinit {
    for disposable in disposables.withLock({ $0 }) { disposable.value.dispose() }
  }
}

/// Functions that create disposables.
public enum Disposables {
  /// Creates a disposable that does nothing.
  public static func create() -> any Disposable { Nothing() }

  /// Creates a disposable that runs a closure once.
  public static func create(with dispose: @escaping () -> Void) -> any Disposable {
    let dispose = UncheckedSendable(dispose)
    return Subscription(cancellable: AnyCancellable { dispose.value() })
  }

  private struct Nothing: Disposable {
    func dispose() {}
  }
}

/// A subscription to a stream. It lasts until it is disposed of, even if it is not kept.
struct Subscription: Disposable {
  let cancellable: any Cancellable

  func dispose() { cancellable.cancel() }
}

/// A disposable as a cancellable.
struct DisposableCancellable: Cancellable {
  let disposable: any Disposable

  func cancel() { disposable.dispose() }
}
