internal import CombineSchedulers
internal import ConcurrencyExtras
package import FeatureCore

extension EffectTree {
  /// Returns the effect that subscribes to a stream. A failure of the stream is reported as an issue.
  package static func subscribing<Failure: Error>(to publisher: AnyPublisher<Action, Failure>) -> EffectTree {
    let publisher = UncheckedSendable(publisher)
    return .run(
      EffectOperation(
        EffectSubscription { deliver, finish in
          let observer = StreamObserver<Action, Failure>(
            value: { value in
              let value = UncheckedSendable(value)
              MainThread.run { deliver(value.value) }
            },
            completion: { completion in
              let error: (any Error)? = if case .failure(let error) = completion { error } else { nil }
              MainThread.run { finish(error) }
            })
          publisher.value.receive(observer: observer)
          return AnyCancellable { observer.cancel() }
        }))
  }

  /// The effect as a stream of its actions.
  ///
  /// Work of a child keeps its place: its ids belong to the child, it ends with the child, and it can dismiss the
  /// child.
  package var publisher: AnyPublisher<Action, any Error> {
    switch self {
    case .send(let action): Just(action).setFailureType(to: (any Error).self)
    case .run(let operation): operation.publisher
    case .merge(let first, let second): first.publisher.merge(with: second.publisher)
    case .concatenate(let first, let second): first.publisher.append(second.publisher)
    case .cancellable(let tree, let id, let cancelInFlight):
      tree.publisher.cancellable(id: id, cancelInFlight: cancelInFlight)
    case .shared(let tree, let id): tree.publisher.cancellable(id: id, cancelInFlight: false)
    case .cancel(let id):
      AnyPublisher { observer in
        cancelNow(id, in: observer.context)
        observer.send(completion: .finished)
      }
    // A stream is not recorded.
    case .restarting(let tree, _): tree.publisher
    case .scoped(let tree, let scope, let dismissal): tree.publisher.scoped(to: scope, dismissal: dismissal)
    case .cancelScope(let scope):
      AnyPublisher { observer in
        if let context = observer.context { cancelNow(.allWork, in: context.within(scope)) }
        observer.send(completion: .finished)
      }
    case .refusal(let refusal): Fail(error: refusal).eraseToAnyPublisher()
    }
  }

  /// The effect as a stream that does not fail: an error is reported and ends it.
  package var infalliblePublisher: AnyPublisher<Action, Never> {
    publisher.catch { error in
      EffectSubscription<Action>.report(error)
      return Empty<Action, Never>()
    }
  }
}

extension EffectOperation {
  fileprivate var publisher: AnyPublisher<Action, any Error> {
    AnyPublisher { observer in
      if let subscription {
        MainThread.run {
          let cancellable = EffectContext.$current.withValue(observer.context) {
            subscription.begin(
              { observer.send($0) }, { observer.send(completion: $0.map { .failure($0) } ?? .finished) })
          }
          observer.keep(cancellable)
        }
        return
      }
      let run = run
      let task = Task {
        await EffectContext.$current.withValue(observer.context) { await run(Send { observer.send($0) }) }
        observer.send(completion: .finished)
      }
      observer.onEnd { task.cancel() }
    }
  }
}
