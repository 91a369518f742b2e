internal import ConcurrencyExtras
internal import Dependencies
internal import Synchronization

/// Runs work that can be cancelled by an id. The enclosing effect continues.
///
/// ```swift
/// return .run { send in
///   await withTaskCancellation(id: CancelID.search, cancelInFlight: true) {
///     await send(.response(Result { try await search(query) }))
///   }
/// }
/// ```
///
/// Inside an effect, `Effect.cancel(id:)` and `Task.cancel(id:)` of the same feature or an enclosing one cancel the
/// work. `Task.cancel(id:)` outside effects cancels the work everywhere; in a test, the work of that test.
///
/// - Complexity: O(1), independent of the number of ids in use.
public nonisolated(nonsending) func withTaskCancellation<T: Sendable>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  operation: @escaping @Sendable () async throws -> T
) async rethrows -> T {
  try await withTaskCancellation(cancelID: CancelID(id), cancelInFlight: cancelInFlight, operation: operation)
}

/// Runs work that can be cancelled by an id of any generation.
package nonisolated(nonsending) func withTaskCancellation<T: Sendable>(
  cancelID id: CancelID, cancelInFlight: Bool, operation: @escaping @Sendable () async throws -> T
) async rethrows -> T {
  let context = EffectContext.current
  let cancellations = context?.host.cancellations ?? .outsideEffects
  let request =
    context.map { TaskCancellations.Request(id: id, path: $0.path) } ?? .outsideEffects(id, of: CurrentTest.id)
  if cancelInFlight { await context?.host.cancelEffects(request.id, within: request.path) }
  let (task, number) = cancellations.start(request, cancelInFlight: cancelInFlight, operation)
  defer { cancellations.remove(number) }
  return try await withTaskCancellationHandler {
    try await task.rethrowing()
  } onCancel: {
    task.cancel()
  }
}

extension Task where Failure == any Error {
  /// The value, for use in `rethrows` functions.
  fileprivate nonisolated(nonsending) func rethrowing() async throws -> Success { try await value }
}

extension Task where Success == Never, Failure == Never {
  /// Cancels the effects, and the work inside effects, with an id. Inside an effect, it applies to the same store.
  ///
  /// Outside effects, it applies to all stores in this process, and to the work that
  /// ``withTaskCancellation(id:cancelInFlight:operation:)`` runs outside effects. In a test, it applies to those of
  /// that test.
  ///
  /// - Complexity: O(1) plus the cost of the cancelled work. Outside effects O(root stores).
  public static func cancel(id: some Hashable & Sendable) {
    guard let context = EffectContext.current else { return EffectHosts.cancel(CancelID(id)) }
    let request = TaskCancellations.Request(id: CancelID(id), path: context.path)
    context.host.cancellations.cancel(request)
    Task<Void, Never> { @MainActor in context.host.cancelEffects(request.id, within: request.path) }
  }
}

/// The stores of this process, for cancellations outside effects.
enum EffectHosts {
  private struct Entry: Sendable {
    weak let host: (any EffectHost)?
    let test: AnyHashableSendable?
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Adds the host of a store until ``remove(_:)``.
  static func add(_ host: any EffectHost) {
    let entry = Entry(host: host, test: CurrentTest.id)
    entries.withLock { $0[ObjectIdentifier(host)] = entry }
  }

  static func remove(_ host: ObjectIdentifier) {
    _ = entries.withLock { $0.removeValue(forKey: host) }
  }

  /// Cancels the effects and the work with an id, of the current test if there is one.
  fileprivate static func cancel(_ id: CancelID) {
    let test = CurrentTest.id
    TaskCancellations.outsideEffects.cancel(.outsideEffects(id, of: test))
    let request = TaskCancellations.Request(id: id, path: [])
    for host in entries.withLock({ $0.values.filter { $0.test == test }.compactMap(\.host) }) {
      host.cancellations.cancel(request)
      Task<Void, Never> { @MainActor in host.cancelEffects(id, within: []) }
    }
  }
}

/// The work with ids that runs inside the effects of one store.
package final class TaskCancellations: Sendable {
  /// An id and the child that uses it.
  package struct Request: Hashable, Sendable {
    let id: CancelID
    let path: EffectPath

    private struct OutsideID: Hashable {
      let id: CancelID
      let test: AnyHashableSendable?
    }

    /// An id that is used outside effects, within a test or not.
    static func outsideEffects(_ id: CancelID, of test: AnyHashableSendable?) -> Request {
      Request(id: CancelID(OutsideID(id: id, test: test)), path: [])
    }
  }

  private struct Entry {
    let request: Request
    let cancel: @Sendable () -> Void
  }

  private struct Entries {
    var byNumber: [UInt64: Entry] = [:]
    /// The work of each child and its descendants, by number.
    var numbers: [Request: Set<UInt64>] = [:]
    var lastNumber: UInt64 = 0

    mutating func add(_ request: Request, cancel: @escaping @Sendable () -> Void) -> UInt64 {
      lastNumber += 1
      byNumber[lastNumber] = Entry(request: request, cancel: cancel)
      for prefix in request.path.prefixes {
        numbers[Request(id: request.id, path: prefix), default: []].insert(lastNumber)
      }
      return lastNumber
    }

    /// The functions that cancel work, in the order in which it began.
    func work(of request: Request) -> [@Sendable () -> Void] {
      (numbers[request] ?? []).sorted().compactMap { byNumber[$0]?.cancel }
    }
  }

  /// The work that runs outside effects.
  static let outsideEffects = TaskCancellations()

  private let entries = Mutex(Entries())

  /// Starts work that can be cancelled from the first moment on.
  ///
  /// - Parameter cancelInFlight: True to cancel earlier work, of which none can begin meanwhile.
  func start<T: Sendable>(
    _ request: Request, cancelInFlight: Bool, _ operation: @escaping @Sendable () async throws -> T
  ) -> (Task<T, any Error>, number: UInt64) {
    let (task, number, earlier) = entries.withLock { entries in
      let earlier = cancelInFlight ? entries.work(of: request) : []
      let task = Task { try await operation() }
      return (task, entries.add(request) { task.cancel() }, earlier)
    }
    for cancel in earlier { cancel() }
    return (task, number)
  }

  /// Adds work that has already begun.
  func add(_ request: Request, cancel: @escaping @Sendable () -> Void) -> UInt64 {
    entries.withLock { $0.add(request, cancel: cancel) }
  }

  func remove(_ number: UInt64) {
    entries.withLock {
      guard let request = $0.byNumber.removeValue(forKey: number)?.request else { return }
      for prefix in request.path.prefixes {
        $0.numbers.remove(number, at: Request(id: request.id, path: prefix))
      }
    }
  }

  func cancel(_ request: Request) {
    for cancel in entries.withLock({ $0.work(of: request) }) { cancel() }
  }
}
