public import EffectStreams

/// A stream for views. It cannot fail, and it sends on the main thread.
public typealias Driver<Element> = AnyPublisher<Element, Never>
/// A stream of events for views. It cannot fail, and it sends on the main thread.
public typealias Signal<Element> = AnyPublisher<Element, Never>
/// A stream that cannot fail.
public typealias Infallible<Element> = AnyPublisher<Element, Never>

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

  /// Returns this stream of events for views. An error is replaced by a last value.
  public func asSignal(onErrorJustReturn value: Output) -> Signal<Output> { asDriver(onErrorJustReturn: value) }

  /// Subscribes a view to the events of the stream until it is disposed of.
  @discardableResult
  public func emit(
    onNext: ((Output) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    drive(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Returns this stream with a last value in place of an error.
  public func asInfallible(onErrorJustReturn value: Output) -> Infallible<Output> { replaceError(with: value) }

  fileprivate func onMain() -> AnyPublisher<Output, Failure> { observe(on: MainScheduler.instance) }
}

extension BehaviorRelay {
  /// Returns the relay for views.
  public func asDriver() -> Driver<Element> { infalliblePublisher.onMain() }
}

extension PublishRelay {
  /// Returns the events of the relay for views.
  public func asSignal() -> Signal<Element> { infalliblePublisher.onMain() }
}

extension Publisher {
  /// The stream without its error.
  fileprivate var infalliblePublisher: AnyPublisher<Output, Never> { self.catch { _ in Empty<Output, Never>() } }
}
