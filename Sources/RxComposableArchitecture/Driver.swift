public import EffectStreams

/// A stream for views. It cannot fail, and it sends on the main thread.
public typealias Driver<Element> = AnyPublisher<Element, Never>

extension Publisher {
  /// Returns this stream for views. An error is replaced by a last value.
  public func asDriver(onErrorJustReturn value: Output) -> Driver<Output> { replaceError(with: value).onMain() }

  /// Returns this stream for views. After an error, it continues with another stream.
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
