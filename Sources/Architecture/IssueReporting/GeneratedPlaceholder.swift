/// A type with a placeholder for results of unimplemented functions that no other protocol describes.
package protocol DefaultPlaceholder {
  /// The placeholder.
  static var generatedPlaceholder: Self { get }
}

extension AsyncStream: DefaultPlaceholder {
  /// A stream that has finished.
  package static var generatedPlaceholder: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream: DefaultPlaceholder where Failure == any Error {
  /// A stream that has been cancelled.
  package static var generatedPlaceholder: Self { Self { $0.finish(throwing: CancellationError()) } }
}

/// Generates the result of an unimplemented function: nil, an empty, zero or false value, or the first case.
///
/// - Returns: Nil for a type without such a value.
func generatePlaceholder<Value>() -> Value? {
  if Value.self == Void.self { return () as? Value }
  func nilValue<T: ExpressibleByNilLiteral>(_ type: T.Type) -> Value? {
    let value: T = nil
    return value as? Value
  }
  func fromRawValue<T: RawRepresentable>(_ type: T.Type) -> Value? {
    let rawValue: T.RawValue? = simplePlaceholder()
    return rawValue.flatMap { T(rawValue: $0) as? Value }
  }
  func firstCase<T: CaseIterable>(_ type: T.Type) -> Value? { T.allCases.first as? Value }

  if let type = Value.self as? any ExpressibleByNilLiteral.Type { return nilValue(type) }
  if let value: Value = simplePlaceholder() { return value }
  if let type = Value.self as? any RawRepresentable.Type, let value = fromRawValue(type) { return value }
  if let type = Value.self as? any CaseIterable.Type { return firstCase(type) }
  return nil
}

/// Returns the placeholder of a type that is created without arguments or from a literal.
private func simplePlaceholder<Value>() -> Value? {
  switch Value.self {
  case let type as any DefaultPlaceholder.Type: type.generatedPlaceholder as? Value
  case let type as any RangeReplaceableCollection.Type: type.empty as? Value
  case let type as any AdditiveArithmetic.Type: type.zeroValue as? Value
  case let type as any ExpressibleByArrayLiteral.Type: type.emptyArray as? Value
  case let type as any ExpressibleByBooleanLiteral.Type: type.falseValue as? Value
  case let type as any ExpressibleByDictionaryLiteral.Type: type.emptyDictionary as? Value
  case let type as any ExpressibleByFloatLiteral.Type: type.zeroFloat as? Value
  case let type as any ExpressibleByIntegerLiteral.Type: type.zeroInteger as? Value
  case let type as any ExpressibleByUnicodeScalarLiteral.Type: type.space as? Value
  default: nil
  }
}

extension RangeReplaceableCollection {
  fileprivate static var empty: Self { Self() }
}

extension AdditiveArithmetic {
  fileprivate static var zeroValue: Self { .zero }
}

extension ExpressibleByArrayLiteral {
  fileprivate static var emptyArray: Self { [] }
}

extension ExpressibleByBooleanLiteral {
  fileprivate static var falseValue: Self { false }
}

extension ExpressibleByDictionaryLiteral {
  fileprivate static var emptyDictionary: Self { [:] }
}

extension ExpressibleByFloatLiteral {
  fileprivate static var zeroFloat: Self { 0.0 }
}

extension ExpressibleByIntegerLiteral {
  fileprivate static var zeroInteger: Self { 0 }
}

extension ExpressibleByUnicodeScalarLiteral {
  fileprivate static var space: Self { " " }
}
