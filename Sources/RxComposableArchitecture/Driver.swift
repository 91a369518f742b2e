public import EffectStreams

/// A stream for views: it cannot fail, and sends on the main thread.
public typealias Driver<Element> = AnyPublisher<Element, Never>

extension Publisher {
  /// This stream for views, with a last value in place of an error.
  public func asDriver(onErrorJustReturn value: Output) -> Driver<Output> { replaceError(with: value).onMain() }

  /// This stream for views, which goes on with another one after an error.
  public func asDriver(onErrorDriveWith other: Driver<Output>) -> Driver<Output> {
    self.catch { _ in other }.onMain()
  }

  /// Subscribes a view to the stream until it is disposed of.
  @discardableResult
  public func drive(
    onNext: ((Output) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    onMain().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  private func onMain() -> AnyPublisher<Output, Failure> { observe(on: MainScheduler.instance) }
}
