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
  private let disposables = CompositeDisposable()

  /// Creates an empty bag.
  public init() {}

  /// Adds a disposable.
  public func insert(_ disposable: any Disposable) { disposables.insert(disposable) }

  deinit {
    disposables.dispose()
  }
}

/// A collection of disposables. After it is disposed of, each new disposable is disposed of at once.
public final class CompositeDisposable: Disposable, Sendable {
  /// Nil after the end.
  private let disposables = Mutex<[UncheckedSendable<any Disposable>]?>([])

  /// Creates an empty collection.
  public init() {}

  /// Adds a disposable.
  public func insert(_ disposable: any Disposable) {
    let disposable = UncheckedSendable(disposable)
    let isOver = disposables.withLock { disposables in
      disposables?.append(disposable)
      return disposables == nil
    }
    if isOver { disposable.value.dispose() }
  }

  /// Disposes of all disposables.
  public func dispose() {
    let ended = disposables.withLock { $0.take() }
    for disposable in ended ?? [] { disposable.value.dispose() }
  }
}

/// Functions that create disposables.
public enum Disposables {
  /// Creates a disposable that does nothing.
  public static func create() -> any Disposable { Nothing() }

  /// Creates a disposable that runs a closure once, when it is disposed of. Unlike Combine's cancellable, it does
  /// nothing on deinitialisation.
  public static func create(with dispose: @escaping () -> Void) -> any Disposable { Work(dispose) }

  /// Creates a disposable that disposes of several others.
  public static func create(_ disposables: [any Disposable]) -> any Disposable {
    let all = CompositeDisposable()
    disposables.forEach(all.insert)
    return all
  }

  /// Creates a disposable that disposes of several others.
  public static func create(
    _ first: any Disposable, _ second: any Disposable, _ others: any Disposable...
  ) -> any Disposable {
    create([first, second] + others)
  }

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

/// A container for one disposable. A new disposable replaces the old one, which is disposed of.
public final class SerialDisposable: Disposable, Sendable {
  private let current = Mutex<(disposable: UncheckedSendable<any Disposable>?, isDisposed: Bool)>((nil, false))

  /// Creates an empty container.
  public init() {}

  /// The disposable. After the container is disposed of, each new disposable is disposed of at once.
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

  /// Disposes of the current disposable and of each later one.
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
