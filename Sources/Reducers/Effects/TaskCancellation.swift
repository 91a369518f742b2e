internal import Synchronization

/// Runs work inside an effect that can be cancelled by a name, while the rest of the effect goes on.
///
/// ```swift
/// return .run { send in
///   await withTaskCancellation(id: CancelID.search, cancelInFlight: true) {
///     await send(.response(Result { try await search(query) }))
///   }
/// }
/// ```
///
/// The name is cancelled by `Effect.cancel(id:)` and by `Task.cancel(id:)` of the same feature or one that it is
/// within. Outside a store's effects the name is known to nobody.
public nonisolated(nonsending) func withTaskCancellation<T: Sendable>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  operation: @escaping @Sendable () async throws -> T
) async rethrows -> T {
  let context = EffectContext.current
  let request = TaskCancellations.Request(id: CancelID(id), path: context?.path ?? [])
  if cancelInFlight, let context {
    context.host.cancellations.cancel(request)
    await context.host.cancelEffects(request.id, within: request.path)
  }
  let task = Task { try await operation() }
  let number = context?.host.cancellations.add(request) { task.cancel() }
  defer { if let number { context?.host.cancellations.remove(number) } }
  return try await withTaskCancellationHandler {
    try await task.rethrowing()
  } onCancel: {
    task.cancel()
  }
}

extension Task where Failure == any Error {
  /// The value, by a name that `rethrows` functions may use.
  fileprivate nonisolated(nonsending) func rethrowing() async throws -> Success { try await value }
}

extension Task where Success == Never, Failure == Never {
  /// Cancels the effects, and the work inside effects, of a name: from inside an effect of the same store.
  public static func cancel(id: some Hashable & Sendable) {
    guard let context = EffectContext.current else { return }
    let request = TaskCancellations.Request(id: CancelID(id), path: context.path)
    context.host.cancellations.cancel(request)
    Task<Void, Never> { @MainActor in context.host.cancelEffects(request.id, within: request.path) }
  }
}

/// The named work that runs inside the effects of one store.
package final class TaskCancellations: Sendable {
  /// Whose work of which name.
  package struct Request: Hashable, Sendable {
    let id: CancelID
    let path: EffectPath
  }

  private struct Entry {
    let request: Request
    let cancel: @Sendable () -> Void
  }

  private struct Entries {
    var byNumber: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
  }

  private let entries = Mutex(Entries())

  func add(_ request: Request, cancel: @escaping @Sendable () -> Void) -> UInt64 {
    entries.withLock {
      $0.lastNumber += 1
      $0.byNumber[$0.lastNumber] = Entry(request: request, cancel: cancel)
      return $0.lastNumber
    }
  }

  func remove(_ number: UInt64) {
    entries.withLock { _ = $0.byNumber.removeValue(forKey: number) }
  }

  func cancel(_ request: Request) {
    let meant = entries.withLock {
      $0.byNumber.filter {
        $0.value.request.id == request.id && $0.value.request.path.isWithin(request.path)
      }
    }
    for (_, entry) in meant.sorted(by: { $0.key < $1.key }) { entry.cancel() }
  }
}
