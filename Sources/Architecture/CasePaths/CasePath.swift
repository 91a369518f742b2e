internal import CustomDump

/// The name of `AnyCasePath` before 1.4.
public typealias CasePath<Root, Value> = AnyCasePath<Root, Value>

infix operator .. : CasePathPrecedence

/// A precedence higher than that of other operators, so that `/A.b .. /B.c` is one path.
precedencegroup CasePathPrecedence {
  associativity: left
}

/// Returns the path to a case in the associated value of another case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: CasePath<Value, Member>
) -> CasePath<Root, Member> {
  lhs.appending(path: rhs)
}

/// Returns the path to a case in the associated value of another case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: @escaping (Member) -> Value
) -> CasePath<Root, Member> {
  lhs.appending(path: /rhs)
}

/// Returns true if a value matches a case: `case /Action.counter:`.
public func ~= <Root, Value>(pattern: CasePath<Root, Value>, value: Root) -> Bool {
  pattern.extract(from: value) != nil
}

/// Returns the path of a case without values, in an enum that need not be equatable.
///
/// The root is a pack of one value. The compiler prefers a plain generic parameter to the function of a case with values
/// where nothing else tells the types: `let path = /Action.counter`.
@_disfavoredOverload
public prefix func / <each Root>(_ root: (repeat each Root)) -> CasePath<(repeat each Root), Void> {
  path(toCaseOf: root)
}

/// Returns the path of a case without values, in an enum that need not be equatable, where the types are known.
public prefix func / <each Root, Path: _CasePath>(_ root: (repeat each Root)) -> Path
where Path.Root == (repeat each Root), Path.Value == Void {
  path(toCaseOf: root)
}

/// Returns a function that extracts a case's value, where one is expected: `actions.map(/Action.counter)`.
@_disfavoredOverload
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> (Root) -> Value? {
  AnyCasePath(embed).extract(from:)
}

/// Returns the value of a case that is named as a function: `extract(case: Action.counter, from: action)`.
public func extract<Root, Value>(case embed: @escaping (Value) -> Root, from root: Root) -> Value? {
  AnyCasePath(embed).extract(from: root)
}

/// Returns the value of a case that is named as a function, in an enum that may be missing.
public func extract<Root, Value>(case embed: @escaping (Value) -> Root, from root: Root?) -> Value? {
  root.flatMap { extract(case: embed, from: $0) }
}

extension AnyCasePath where Value == Void {
  /// The case path of a case without values: `AnyCasePath(Action.quit)`.
  @_disfavoredOverload
  public init(_ root: Root) {
    self = path(toCaseOf: root)
  }
}

extension Sequence {
  /// Returns the values of one case: `actions.compactMap(/Action.counter)`.
  public func compactMap<Value>(_ path: CasePath<Element, Value>) -> [Value] {
    compactMap { path.extract(from: $0) }
  }
}

/// A case path, as a type that the compiler infers.
public protocol _CasePath<Root, Value> {
  /// The enum.
  associatedtype Root
  /// The value of the case.
  associatedtype Value
  /// Creates a path from its two functions.
  init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?)
}

extension AnyCasePath: _CasePath {}

private func path<Path: _CasePath>(toCaseOf root: Path.Root) -> Path where Path.Value == Void {
  let (name, root) = (caseName(of: root), Stateless(value: root))
  return Path(embed: { root.value }, extract: { name != nil && caseName(of: $0) == name ? () : nil })
}
