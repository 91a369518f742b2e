package import CombineSchedulers
internal import ConcurrencyExtras
internal import CustomDump
internal import Dependencies
package import IssueReporting
internal import Synchronization

/// Work that begins in the turn of its action and not in a task: a stream of an older generation, to which a store
/// subscribes.
package struct EffectSubscription<Action>: Sendable {
  package typealias Deliver = @MainActor @Sendable (Action) -> Void
  /// Reports the end of the work, with an error if a stream failed.
  package typealias Finish = @MainActor @Sendable ((any Error)?) -> Void
  package typealias Begin =
    @MainActor @Sendable (
      _ deliver: @escaping Deliver, _ finish: @escaping Finish
    ) -> AnyCancellable

  /// Begins the work. It calls the first closure with each action, and the second one at the end.
  package let begin: Begin

  package init(begin: @escaping Begin) {
    self.begin = begin
  }

  func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectSubscription<Other> {
    EffectSubscription<Other> { [begin] deliver, finish in begin({ deliver(transform($0)) }, finish) }
  }

  /// The work with observers of its actions and its end.
  ///
  /// - Parameter observe: Called when the work begins. Of the returned closures, the first one is called with each
  ///   action, the second one at the end, with true for a cancellation.
  package func observed(
    _ observe:
      @escaping @MainActor @Sendable () -> (
        onAction: @MainActor @Sendable (Action) -> Void, onEnd: @Sendable (_ isCancelled: Bool) -> Void
      )
  ) -> EffectSubscription {
    EffectSubscription { [begin] deliver, finish in
      let (onAction, onEnd) = observe()
      let end = Once(onEnd)
      let cancellable = begin(
        {
          onAction($0)
          deliver($0)
        },
        {
          end.call(false)
          finish($0)
        })
      return AnyCancellable {
        end.call(true)
        cancellable.cancel()
      }
    }
  }

  /// The work as a task, for wrappers that support only tasks.
  @MainActor fileprivate func run(_ send: Send<Action>) async {
    // Deferred: a reducer may send to a stream, and a hub accepts no actions while it reduces.
    let (actions, continuation) = AsyncStream.makeStream(of: UncheckedSendable<Action>.self)
    let cancellable = begin(
      { continuation.yield(UncheckedSendable($0)) },
      { error in
        if let error { Self.report(error) }
        continuation.finish()
      })
    for await action in actions { send(action.value) }
    cancellable.cancel()
  }

  /// Reports the unhandled error of a stream.
  ///
  /// - Parameter location: The test's line that made the feature act; nil if it is this task's.
  package static func report(_ error: any Error, at location: IssueLocation? = nil) {
    let location = location ?? IssueLocation()
    var dump = ""
    customDump(error, to: &dump, indent: 4)
    reportIssue(
      """
      An effect failed. …

      \(dump)

      Effects send errors as actions: use "catchToEffect" or an operator that handles the error.
      """, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }
}

extension EffectOperation {
  /// Creates the work of a subscription.
  package init(_ subscription: EffectSubscription<Action>) {
    self.init(name: nil, priority: nil, subscription: subscription) { await subscription.run($0) }
  }
}

extension EffectContext {
  /// Registers work in an effect, so that it can be cancelled by the id. Without a context, it is outside effects.
  ///
  /// - Returns: A function that ends the registration.
  package static func add(
    _ id: CancelID, in context: EffectContext?, cancel: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let cancellations = context?.host.cancellations ?? .outsideEffects
    let number = cancellations.add(request(id, in: context), cancel: cancel)
    return { cancellations.remove(number) }
  }

  /// Cancels the work in effects with an id.
  package static func cancelWork(_ id: CancelID, in context: EffectContext?) {
    (context?.host.cancellations ?? .outsideEffects).cancel(request(id, in: context))
  }

  /// Cancels the effects of the context's store with an id.
  @MainActor package static func cancelEffects(_ id: CancelID, in context: EffectContext?) {
    context?.host.cancelEffects(id, within: request(id, in: context).path)
  }

  private static func request(_ id: CancelID, in context: EffectContext?) -> TaskCancellations.Request {
    guard let context else { return .outsideEffects(id, of: CurrentTest.id) }
    return TaskCancellations.Request(id: id, path: context.path)
  }
}

extension EffectContext {
  /// An object that lives as long as the store that runs the effect.
  package var store: AnyObject { host }
}

/// A closure that is called at most once, by the first caller.
private final class Once: Sendable {
  private let closure: Mutex<(@Sendable (Bool) -> Void)?>

  init(_ closure: @escaping @Sendable (Bool) -> Void) {
    self.closure = Mutex(closure)
  }

  func call(_ argument: Bool) {
    closure.withLock { $0.take() }?(argument)
  }
}
