internal import ComposableCore
internal import Wire

/// A field of a state that binding actions can set.
protocol BindableField<Root>: Sendable {
  /// The state.
  associatedtype Root

  /// The keys of the cases that lead to the field.
  var cases: [UInt64] { get }

  /// Returns true if the action sets this field.
  func sets(_ action: BindingAction<Root>) -> Bool

  /// Writes the value of an action that sets this field.
  func encodeValue(of action: BindingAction<Root>, to encoder: inout CBOREncoder)

  /// Reads a value, and returns the action that sets it.
  func action(from decoder: inout CBORDecoder) throws(WireError) -> BindingAction<Root>
}

/// A field with a value of a known type.
struct TypedField<Root, Value: Replicated & Equatable & Sendable>: BindableField {
  let path: any WritableKeyPath<Root, Value> & Sendable
  let cases: [UInt64]

  func sets(_ action: BindingAction<Root>) -> Bool { (action.keyPath as PartialKeyPath<Root>) == path }

  func encodeValue(of action: BindingAction<Root>, to encoder: inout CBOREncoder) {
    guard let value = action.value as? Value else { preconditionFailure("the value has the type of its key path") }
    value.encode(to: &encoder)
  }

  func action(from decoder: inout CBORDecoder) throws(WireError) -> BindingAction<Root> {
    .set(path, try Value(from: &decoder))
  }
}
