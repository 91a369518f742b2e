package import CombineSchedulers
internal import CustomDump
internal import Dependencies
internal import IssueReporting

/// Work that begins in the turn of its action, not in a task: a stream of an older generation, to which a store subscribes.
package struct EffectSubscription<Action>: Sendable {
  package typealias Deliver = @MainActor @Sendable (Action) -> Void
  /// The end of the work; with an error if it was a stream that failed.
  package typealias Finish = @MainActor @Sendable ((any Error)?) -> Void
  package typealias Begin =
    @MainActor @Sendable (
      _ deliver: @escaping Deliver, _ finish: @escaping Finish
    ) -> AnyCancellable

  /// Begins the work. It calls the first closure with each action and the second one when it is over.
  package let begin: Begin

  package init(begin: @escaping Begin) {
    self.begin = begin
  }

  func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectSubscription<Other> {
    EffectSubscription<Other> { [begin] deliver, finish in begin({ deliver(transform($0)) }, finish) }
  }

  /// The work as that of a task, for a wrapping that knows tasks only.
  @MainActor fileprivate func run(_ send: Send<Action>) async {
    let (end, continuation) = AsyncStream.makeStream(of: Never.self)
    let cancellable = begin(
      { send($0) },
      { error in
        if let error { Self.report(error) }
        continuation.finish()
      })
    for await _ in end {}
    cancellable.cancel()
  }

  /// Reports the error of a stream that nobody handled.
  package static func report(_ error: any Error) {
    var dump = ""
    customDump(error, to: &dump, indent: 4)
    reportIssue(
      """
      An effect failed. …

      \(dump)

      Effects send errors as actions: use "catchToEffect" or an operator that handles the error.
      """)
  }
}

extension EffectOperation {
  /// The work of a subscription.
  package init(_ subscription: EffectSubscription<Action>) {
    self.init(name: nil, priority: nil, subscription: subscription) { await subscription.run($0) }
  }
}

extension EffectContext {
  /// Names work in an effect, so that it can be cancelled by the id. Without a context it is outside effects.
  ///
  /// - Returns: Takes the name back.
  package static func add(
    _ id: CancelID, in context: EffectContext?, cancel: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let cancellations = context?.host.cancellations ?? .outsideEffects
    let number = cancellations.add(request(id, in: context), cancel: cancel)
    return { cancellations.remove(number) }
  }

  /// Cancels what has an id: work in effects, and the effects of the context.
  @MainActor package static func cancel(_ id: CancelID, in context: EffectContext?) {
    let request = request(id, in: context)
    (context?.host.cancellations ?? .outsideEffects).cancel(request)
    context?.host.cancelEffects(id, within: request.path)
  }

  private static func request(_ id: CancelID, in context: EffectContext?) -> TaskCancellations.Request {
    guard let context else { return .outsideEffects(id, of: CurrentTest.id) }
    return TaskCancellations.Request(id: id, path: context.path)
  }
}

extension EffectContext {
  /// The identity of the store that runs the effect.
  package var storeIdentity: ObjectIdentifier { ObjectIdentifier(host) }
}
