/// The runtime's name of an enum's case.
///
/// A mirror has it only for cases with a payload, and a description may be customised.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?

/// The name of the case of a value; nil if the value is not an enum.
package func caseName(of value: Any) -> String? {
  func name<Value>(_ value: Value) -> String? { enumCaseName(value).map { String(cString: $0) } }
  return name(value)
}
