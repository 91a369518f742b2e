/// Receives the replicated fields of a struct that can be set one by one, as bindings do.
package protocol FieldVisitor<Root>: AnyObject {
  /// The struct.
  associatedtype Root

  /// A variable of the struct with its name, its key and the key path to its value.
  func visit<Value: Replicated & Equatable & Sendable>(
    _ name: String, key: UInt64, _ path: any WritableKeyPath<Root, Value> & Sendable)
}

extension Replicated {
  /// Visits the fields of this type, in the order of their keys; none unless it is a struct.
  ///
  /// Left out are constants, fields of presented children, and those with values that are not `Equatable` and `Sendable`.
  /// - Complexity: O(types in the schema).
  package static func visitFields(_ visitor: any FieldVisitor<Self>) {
    var builder = SchemaBuilder(visitor: visitor)
    _ = schema(in: &builder)
  }
}
