internal import CustomDump

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

/// The case path of the value itself: `/Action.self`.
public prefix func / <Root>(type: Root.Type) -> AnyCasePath<Root, Root> { AnyCasePath() }

/// The same case path, for names without their type: `/.self`, `/.some`.
public prefix func / <Root, Value>(path: AnyCasePath<Root, Value>) -> AnyCasePath<Root, Value> { path }

extension AnyCasePath where Root == Value {
  /// The case path of the value itself, for `/.self`.
  public static var `self`: Self { AnyCasePath() }
}

extension AnyCasePath where Root == Value? {
  /// The case path of an optional's value, for `/.some`.
  public static var some: Self { AnyCasePath(embed: { $0 }, extract: { $0 }) }
}

/// A case's function, or a case without values. Unchecked: neither has mutable state.
struct Stateless<Value>: @unchecked Sendable {
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
        let embedded = embed.value(value)
        guard caseName(of: embedded) == caseName(of: root) else { return nil }
        // Cases with one name differ by the labels of their values.
        return Mirror(reflecting: embedded).children.first.map { labels(of: $0.value) } == labels(of: child.value)
          ? value : nil
      })
  }

  /// The case path of a case that is named as a function, as `init(_:)` does.
  public init(unsafe embed: @escaping (Value) -> Root) {
    self.init(embed)
  }
}

/// The labels of a case's values; empty for a single value without a label.
private func labels(of payload: Any) -> [String] {
  let mirror = Mirror(reflecting: payload)
  return mirror.displayStyle == .tuple ? mirror.children.map { $0.label ?? "" } : []
}
