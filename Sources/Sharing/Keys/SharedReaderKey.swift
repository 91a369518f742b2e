/// A place that a shared value is read from: memory, a file, a server.
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
/// Conform to ``SharedKey`` if values can be saved, too.
public protocol SharedReaderKey<Value>: Sendable {
  /// What it holds.
  associatedtype Value: Sendable
  /// What tells two places apart.
  associatedtype ID: Hashable = Self

  /// The identity of the place: keys with equal identities share one value.
  var id: ID { get }

  /// Finds the value and resumes `continuation` with it, once, now or later.
  ///
  /// Called when the first `@Shared` of this identity appears, and on demand. A value that is given before the call
  /// returns is there from the start.
  func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>)

  /// Tells `subscriber` of each change of the value from outside, until the subscription is cancelled.
  func subscribe(context: LoadContext<Value>, subscriber: SharedSubscriber<Value>) -> SharedSubscription
}

extension SharedReaderKey where ID == Self {
  /// The key is its own identity.
  public var id: ID { self }
}

/// Why a key is asked for its value.
public enum LoadContext<Value> {
  /// A reference appears, and has this value until the key gives another.
  case initialValue(Value)
  /// Somebody asked for the value to be loaded again.
  case userInitiated

  /// The value of a reference that appears.
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
