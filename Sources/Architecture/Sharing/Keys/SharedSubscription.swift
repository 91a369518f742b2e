internal import Synchronization

/// Ends a subscription when it is cancelled or released.
public final class SharedSubscription: Sendable {
  private let onCancel: Mutex<(@Sendable () -> Void)?>

  /// Creates a subscription with the function that ends it.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    onCancel = Mutex(cancel)
  }

  deinit { cancel() }

  /// Ends the subscription; a second call has no effect.
  public func cancel() {
    let cancel = onCancel.withLock { onCancel in
      defer { onCancel = nil }
      return onCancel
    }
    cancel?()
  }
}
