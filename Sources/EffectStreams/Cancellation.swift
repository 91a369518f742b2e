package import Reducers

/// The id of an effect of an older generation: any hashable value, or a type.
package func cancelID(_ id: AnyHashable) -> CancelID { CancelID(anyHashable: id) }

extension Publisher {
  /// Returns a cancellable stream with an id that is unique within its store.
  package func cancellable(id: CancelID, cancelInFlight: Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      if cancelInFlight { cancelNow(id, in: observer.context) }
      receive(id: id, observer: observer)
    }
  }

  /// The stream as work of a child of the feature that runs it: its ids are the child's, and it ends with the child.
  func scoped(to scope: EffectScope) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in receive(id: .allWork, scope: scope, observer: observer) }
  }

  private func receive(id: CancelID, scope: EffectScope? = nil, observer: StreamObserver<Output, Failure>) {
    let child: StreamObserver<Output, Failure> = observer.child(scope: scope, value: observer.send) {
      observer.send(completion: $0)
    }
    // Whoever waits for the stream sees its end.
    let remove = EffectContext.add(id, in: child.context) {
      child.cancel()
      observer.send(completion: .finished)
    }
    child.onEnd(remove)
    receive(observer: child)
  }
}

/// Cancels an id: streams immediately, effects of the store on the main thread.
func cancelNow(_ id: CancelID, in context: EffectContext?) {
  EffectContext.cancelWork(id, in: context)
  MainThread.run { EffectContext.cancelEffects(id, in: context) }
}
