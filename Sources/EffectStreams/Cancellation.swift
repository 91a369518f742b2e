internal import ConcurrencyExtras
package import Reducers

/// Returns the id of an effect of an older generation: any hashable value, or a type.
package func cancelID(_ id: AnyHashable) -> CancelID { CancelID(UncheckedSendable(id)) }

extension Publisher {
  /// Returns a cancellable stream with an id that is unique within its store.
  package func cancellable(id: CancelID, cancelInFlight: Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      let context = observer.context
      if cancelInFlight { cancelNow(id, in: context) }
      let child: StreamObserver<Output, Failure> = observer.child(value: observer.send) {
        observer.send(completion: $0)
      }
      // A cancelled stream finishes, so that waiting tasks continue.
      let remove = EffectContext.add(id, in: context) {
        child.cancel()
        observer.send(completion: .finished)
      }
      child.onEnd(remove)
      receive(observer: child)
    }
  }
}

/// Cancels an id: streams immediately, effects of the store on the main thread.
func cancelNow(_ id: CancelID, in context: EffectContext?) {
  EffectContext.cancelWork(id, in: context)
  MainThread.run { EffectContext.cancelEffects(id, in: context) }
}
