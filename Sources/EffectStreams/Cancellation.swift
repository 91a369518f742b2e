internal import ConcurrencyExtras
package import Reducers

/// The id of an effect of an older generation: any hashable value, or a type.
package func cancelID(_ id: AnyHashable) -> CancelID { CancelID(UncheckedSendable(id)) }

extension Publisher {
  /// The stream with an id that cancels it, within the store that runs it.
  package func cancellable(id: CancelID, cancelInFlight: Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      let context = observer.context
      if cancelInFlight { cancelNow(id, in: context) }
      let child: StreamObserver<Output, Failure> = observer.child(value: observer.send) {
        observer.send(completion: $0)
      }
      // Whoever waits for the stream sees its end.
      let remove = EffectContext.add(id, in: context) {
        child.cancel()
        observer.send(completion: .finished)
      }
      child.onEnd(remove)
      receive(observer: child)
    }
  }
}

/// Cancels what has an id: streams at once, effects of the store when the main thread comes to it.
func cancelNow(_ id: CancelID, in context: EffectContext?) {
  EffectContext.cancelWork(id, in: context)
  MainThread.run { EffectContext.cancelEffects(id, in: context) }
}
