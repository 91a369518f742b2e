/// Runs an operation and waits for it until a timeout. Returns true if it ended.
@MainActor
func race(against timeout: Duration, _ operation: @escaping @MainActor @Sendable () async -> Void) async -> Bool {
  let first = FirstOutcome()
  let work = Task { @MainActor in
    await operation()
    first.settle(true)
  }
  let timer = Task { @MainActor in
    try? await Task.sleep(for: timeout)
    first.settle(false)
  }
  defer {
    work.cancel()
    timer.cancel()
  }
  return await first.value
}

/// The first outcome of the operation and the timeout.
@MainActor
private final class FirstOutcome {
  private var outcome: Bool?
  private var waiter: CheckedContinuation<Bool, Never>?

  func settle(_ outcome: Bool) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    waiter?.resume(returning: outcome)
  }

  var value: Bool {
    get async {
      if let outcome { return outcome }
      return await withCheckedContinuation { waiter = $0 }
    }
  }
}
