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

  /// Runs a closure when it is disposed of, once. Unlike a cancellable of Combine, it does nothing when it is dropped.
  public static func create(with dispose: @escaping () -> Void) -> any Disposable { Work(dispose) }

  private struct Nothing: Disposable {
    func dispose() {}
  }

  private final class Work: Disposable {
    private let end: Mutex<UncheckedSendable<() -> Void>?>

    init(_ end: @escaping () -> Void) {
      self.end = Mutex(UncheckedSendable(end))
    }

    func dispose() {
      let end = end.withLock { $0.take() }
      end?.value()
    }
  }
}

/// A place for a disposable: a new one ends the old one.
public final class SerialDisposable: Disposable, Sendable {
  private let current = Mutex<(disposable: UncheckedSendable<any Disposable>?, isDisposed: Bool)>((nil, false))

  /// Creates an empty place.
  public init() {}

  /// The disposable. If the place is disposed of, so is each that is put there.
  public var disposable: any Disposable {
    get { current.withLock { $0.disposable?.value } ?? Disposables.create() }
    set {
      let new = UncheckedSendable(newValue)
      let old = current.withLock { current -> UncheckedSendable<any Disposable>? in
        guard !current.isDisposed else { return new }
        defer { current.disposable = new }
        return current.disposable
      }
      old?.value.dispose()
    }
  }

  /// Ends the disposable, and each that is put here later.
  public func dispose() {
    let old = current.withLock { current in
      current.isDisposed = true
      return current.disposable.take()
    }
    old?.value.dispose()
  }
}

/// A disposable as a cancellable.
struct DisposableCancellable: Cancellable {
  let disposable: any Disposable

  func cancel() { disposable.dispose() }
}
