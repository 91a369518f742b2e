public import CasePaths
internal import ConcurrencyExtras

/// The name of `AnyCasePath` in the older generations.
public typealias CasePath<Root, Value> = AnyCasePath<Root, Value>

infix operator .. : CasePathPrecedence

/// Binds closer than calls' operators, so that `/A.b .. /B.c` is one path.
precedencegroup CasePathPrecedence {
  associativity: left
}

/// A case within the payload of another case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: CasePath<Value, Member>
) -> CasePath<Root, Member> {
  lhs.appending(path: rhs)
}

/// A case within the payload of another case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: @escaping (Member) -> Value
) -> CasePath<Root, Member> {
  lhs.appending(path: /rhs)
}

/// Whether a value is of a case: `case /Action.counter:`.
public func ~= <Root, Value>(pattern: CasePath<Root, Value>, value: Root) -> Bool {
  pattern.extract(from: value) != nil
}

extension AnyCasePath where Root == Value {
  /// The value itself.
  public static var `self`: CasePath<Root, Root> { CasePath() }
}

extension AnyCasePath {
  /// The path of a case that is named as a function: the form before the operator `/`.
  public static func `case`(_ embed: @escaping (Value) -> Root) -> AnyCasePath { AnyCasePath(embed) }
}

prefix operator ^

/// A key path as a function.
public prefix func ^ <Root, Value>(keyPath: KeyPath<Root, Value>) -> (Root) -> Value {
  { $0[keyPath: keyPath] }
}

/// The path of a case without values, of an enum that need not be equatable.
@_disfavoredOverload
public prefix func / <Root: SendableMetatype>(_ root: Root) -> CasePath<Root, Void> {
  let (name, root) = (caseName(of: root), UncheckedSendable(root))
  return CasePath(embed: { root.value }, extract: { name != nil && caseName(of: $0) == name ? () : nil })
}

/// The path of a whole value: `/Action.self`.
public prefix func / <Root>(_ type: Root.Type) -> CasePath<Root, Root> { CasePath() }
