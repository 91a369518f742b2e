/// An enum as seen through its cases: the root and the value of case key paths.
///
/// Applying a key path to an empty `Case<Root>` combines its case paths into one `AnyCasePath<Root, Value>`, which then
/// works without the key path.
@dynamicMemberLookup
public struct Case<Value> {
  private let chain: Chain<Value>?

  /// The start of a chain.
  public init() {
    chain = nil
  }

  private init(chain: Chain<Value>) {
    self.chain = chain
  }

  /// The next case of the chain.
  public subscript<Member>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>>
  ) -> Case<Member> where Value: CasePathable {
    appending(Value.allCasePaths[keyPath: keyPath])
  }

  /// Appends a case path that is not a property.
  public func appending<Member>(_ step: AnyCasePath<Value, Member>) -> Case<Member> {
    Case<Member>(chain: chain?.appending(step) ?? RootedChain(step))
  }

  fileprivate func casePath<Root>(from _: Root.Type) -> AnyCasePath<Root, Value>? {
    // The start of a chain is the value itself: `\.self`.
    guard let chain else { return AnyCasePath<Value, Value>() as? AnyCasePath<Root, Value> }
    return (chain as? RootedChain<Root, Value>)?.casePath
  }
}

extension AnyCasePath {
  /// The case path that a key path names.
  ///
  /// - Complexity: O(length of the key path), with allocations: create it once and keep it.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    guard let casePath = Case<Root>()[keyPath: keyPath].casePath(from: Root.self) else {
      preconditionFailure("a case key path names at least one case")
    }
    self = casePath
  }
}

extension KeyPath {
  /// The enum value of this case: `(\Action.Cases.counter)(.timerTicked)`.
  public func callAsFunction<Enum, Payload>(_ value: Payload) -> Enum
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(self).embed(value)
  }

  /// The enum value of this case without a payload.
  public func callAsFunction<Enum>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
    AnyCasePath(self).embed(())
  }

  /// Returns true if a value is of this case, as a pattern: `case \.counter:`.
  public static func ~= <Enum: CasePathable, Payload>(keyPath: KeyPath, value: Enum) -> Bool
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(keyPath).extract(from: value) != nil
  }
}

extension PartialKeyPath {
  /// The enum value of this case with a payload; nil if the payload is of another type.
  @_disfavoredOverload
  public func callAsFunction<Enum: CasePathable>(_ value: Any) -> Enum? where Root == Case<Enum> {
    (Case<Enum>()[keyPath: self] as? any AnyCaseExtracting)?.embed(value, in: Enum.self)
  }
}

/// The operations of a `Case` that do not depend on the type of its payload.
protocol AnyCaseExtracting {
  func isCase<Root>(of root: Root) -> Bool
  func payload<Root>(of root: Root) -> Any?
  func embed<Root>(_ value: Any, in _: Root.Type) -> Root?
}

extension Case: AnyCaseExtracting {
  func isCase<Root>(of root: Root) -> Bool { casePath(from: Root.self)?.extract(from: root) != nil }

  func payload<Root>(of root: Root) -> Any? {
    casePath(from: Root.self)?.extract(from: root).map { $0 as Any }
  }

  func embed<Root>(_ value: Any, in _: Root.Type) -> Root? {
    guard let path = casePath(from: Root.self), let payload = value as? Value else { return nil }
    return path.embed(payload)
  }
}

/// A combined case path. A subclass stores its root, so that no value is boxed on the way.
private class Chain<Value> {
  func appending<Member>(_ step: AnyCasePath<Value, Member>) -> Chain<Member> {
    preconditionFailure("every chain is rooted")
  }
}

private final class RootedChain<Root, Value>: Chain<Value> {
  let casePath: AnyCasePath<Root, Value>

  init(_ casePath: AnyCasePath<Root, Value>) {
    self.casePath = casePath
  }

  override func appending<Member>(_ step: AnyCasePath<Value, Member>) -> Chain<Member> {
    RootedChain<Root, Member>(casePath.appending(path: step))
  }
}
