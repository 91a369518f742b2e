prefix operator /

/// The case path of a case that is named as a function: `/Action.counter`.
///
/// This is the 1.0 form; `@CasePathable` and key paths are faster and check more.
///
/// - Complexity: Extracting reflects on the value and allocates.
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> AnyCasePath<Root, Value> {
  AnyCasePath(embed)
}

/// The case path of a case without values: `/Action.quit`.
///
/// Only for equatable enums: the compiler would prefer an overload for any type even for cases with values, which are
/// functions.
public prefix func / <Root: Equatable & SendableMetatype>(root: Root) -> AnyCasePath<Root, Void> {
  let constant = Stateless(value: root)
  return AnyCasePath(embed: { constant.value }, extract: { $0 == constant.value ? () : nil })
}

/// A case's function, or a case without values. Unchecked: neither has mutable state.
private struct Stateless<Value>: @unchecked Sendable {
  let value: Value
}

extension AnyCasePath {
  /// The case path of a case that is named as a function, extracting by reflection.
  public init(_ embed: @escaping (Value) -> Root) {
    let embed = Stateless(value: embed)
    self.init(
      embed: { embed.value($0) },
      extract: { root in
        guard let child = Mirror(reflecting: root).children.first else { return nil }
        // A single labelled value is reflected as a tuple with one element.
        guard let value = child.value as? Value ?? Mirror(reflecting: child.value).children.first?.value as? Value
        else { return nil }
        return caseName(of: embed.value(value)) == caseName(of: root) ? value : nil
      })
  }

  /// The case path of a case that is named as a function; see ``init(_:)``.
  public init(unsafe embed: @escaping (Value) -> Root) {
    self.init(embed)
  }
}

/// The runtime's name of a value's case; nil if the value is not an enum.
package func caseName<Root>(of root: Root) -> String? {
  enumCaseName(root).map { String(cString: $0) }
}

// An entry point of the Swift runtime, which `Mirror` uses for the same purpose; descriptions can be overridden.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Root>(_ root: Root) -> UnsafePointer<CChar>?
