internal import ConcurrencyExtras
package import FeatureCore

/// Returns the id of an effect of an older generation, from a hashable value or a type.
package func cancelID(_ id: AnyHashable) -> CancelID { CancelID(anyHashable: id) }

extension Publisher {
  /// Returns a cancellable stream with an id that is unique within its store.
  package func cancellable(id: CancelID, cancelInFlight: Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      if cancelInFlight { cancelNow(id, in: observer.context) }
      receive(id: id, observer: observer)
    }
  }

  /// Returns the stream as work of a child of the running feature. Its ids belong to the child, and it ends with the
  /// child.
  ///
  /// - Parameter dismissal: The value that dismisses the child, if it is presented.
  func scoped(to scope: EffectScope, dismissal: Output?) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      let presentation = dismissal.map { dismissal in
        let end = UncheckedSendable({ observer.send(dismissal) })
        return EffectContext.Presentation.inStream { end.value() }
      }
      let context = observer.context?.within(scope, presentation: presentation)
      receive(id: .allWork, in: context, observer: observer)
    }
  }

  private func receive(
    id: CancelID, in context: EffectContext? = nil, observer: StreamObserver<Output, Failure>
  ) {
    let child: StreamObserver<Output, Failure> = observer.child(in: context, value: observer.send) {
      observer.send(completion: $0)
    }
    // A subscriber receives the end of a cancelled stream.
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

/// Runs work that can be cancelled by a type as its id, like the function of 1.x.
public nonisolated(nonsending) func withTaskCancellation<T: Sendable>(
  id: Any.Type, cancelInFlight: Bool = false, operation: @escaping @Sendable () async throws -> T
) async rethrows -> T {
  try await withTaskCancellation(id: ObjectIdentifier(id), cancelInFlight: cancelInFlight, operation: operation)
}

extension Task where Success == Never, Failure == Never {
  /// Cancels the effects and the work inside effects whose id is a type.
  public static func cancel(id: Any.Type) { cancel(id: ObjectIdentifier(id)) }
}
