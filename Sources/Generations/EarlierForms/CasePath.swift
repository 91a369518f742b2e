public import CasePaths

extension AnyCasePath {
  /// Returns the path of a case given as a function, the form before the operator `/`.
  public static func `case`(_ embed: @escaping (Value) -> Root) -> AnyCasePath { AnyCasePath(embed) }
}

prefix operator ^

/// Returns a key path as a function.
public prefix func ^ <Root, Value>(keyPath: KeyPath<Root, Value>) -> (Root) -> Value {
  { $0[keyPath: keyPath] }
}
