/// A place from which a shared value is loaded: memory, a file, a server.
///
/// ```swift
/// struct RemoteFlag: SharedReaderKey {
///   let name: String
///   var id: String { name }
///
///   func load(context: LoadContext<Bool>, continuation: LoadContinuation<Bool>) {
///     continuation.resume(with: Result { try flags.read(name) })
///   }
///
///   func subscribe(context: LoadContext<Bool>, subscriber: SharedSubscriber<Bool>) -> SharedSubscription {
///     let token = flags.observe(name) { subscriber.yield($0) }
///     return SharedSubscription { token.cancel() }
///   }
/// }
/// ```
///
/// Conform to ``SharedKey`` if values can also be saved.
public protocol SharedReaderKey<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable
  /// The type of the identity.
  associatedtype ID: Hashable = Self

  /// The identity of the place. Keys with equal identities share one value.
  var id: ID { get }

  /// Finds the value and resumes `continuation` with it, once, now or later.
  ///
  /// Called when the first `@Shared` with this identity is created, and on demand. A value that is delivered before the
  /// call returns is available from the start.
  func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>)

  /// Reports each external change of the value to `subscriber`, until the subscription is cancelled.
  func subscribe(context: LoadContext<Value>, subscriber: SharedSubscriber<Value>) -> SharedSubscription
}

extension SharedReaderKey where ID == Self {
  /// The key is its own identity.
  public var id: ID { self }
}

/// The reason for loading a value.
public enum LoadContext<Value> {
  /// A reference was created; it has this value until the key delivers another one.
  case initialValue(Value)
  /// `load()` was called, or a value is loaded without an initial one.
  case userInitiated

  /// The initial value of a new reference.
  public var initialValue: Value? {
    switch self {
    case .initialValue(let value): value
    case .userInitiated: nil
    }
  }
}

extension LoadContext: Sendable where Value: Sendable {}
extension LoadContext: Equatable where Value: Equatable {}
extension LoadContext: Hashable where Value: Hashable {}
