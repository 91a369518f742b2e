/// An enum seen through its cases: what case key paths start from and lead to.
///
/// Following a key path from an empty `Case<Root>` joins the case paths along the way into one
/// `AnyCasePath<Root, Value>`, which then works without looking at the key path again.
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

  /// One case further.
  public subscript<Member>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>>
  ) -> Case<Member> where Value: CasePathable {
    let step = Value.allCasePaths[keyPath: keyPath]
    return Case<Member>(chain: chain?.appending(step) ?? RootedChain(step))
  }

  fileprivate func casePath<Root>(from _: Root.Type) -> AnyCasePath<Root, Value>? {
    (chain as? RootedChain<Root, Value>)?.casePath
  }
}

extension AnyCasePath {
  /// The case path that a key path names.
  ///
  /// - Complexity: O(length of the key path), with allocations: make it once and keep it.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    guard let casePath = Case<Root>()[keyPath: keyPath].casePath(from: Root.self) else {
      preconditionFailure("a case key path names at least one case")
    }
    self = casePath
  }
}

/// A joined case path that remembers its root in a subclass, so that no value is boxed on the way through.
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
    let first = casePath
    return RootedChain<Root, Member>(
      AnyCasePath<Root, Member>(
        embed: { first.embed(step.embed($0)) },
        extract: { first.extract(from: $0).flatMap { step.extract(from: $0) } }))
  }
}
