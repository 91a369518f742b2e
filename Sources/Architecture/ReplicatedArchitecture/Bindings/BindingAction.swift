public import ComposableCore
public import Wire

extension BindingAction: WireValue where Root: Replicated {
  /// Writes the field and its new value; see `schema(in:)`.
  ///
  /// A field that is not replicated, such as a computed one, is written as null, which no reader accepts: a
  /// `StoreClient` fails such an action before it is sent.
  public func encode(to encoder: inout CBOREncoder) {
    guard BindableFields<Root>.all.encode(self, to: &encoder) else { return encoder.null() }
  }

  /// Reads a field of the state and its new value.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try BindableFields<Root>.all.decode(from: &decoder)
  }

  /// An enum with a case for each field that a binding can set: the variables with an `Equatable` and `Sendable` value.
  ///
  /// The key of a case is one more than that of the field. Its payload is the new value; for a field that has such
  /// fields itself, it is again such an enum, with the further case `self`, of key 0, for the whole value:
  /// `binding.title "bread"`, `binding.settings.volume 3`, `binding.settings.self {…}`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.noteUnwritableValues()
    return builder.enumeration(Self.self, name: "BindingAction") { BindableCase.describe(Root.self, in: &$0) }
  }
}

extension BindingAction: Replicated where Root: Replicated {
  /// Returns true if the fields or the bytes of their values differ: equal texts may have different scalars.
  /// - Complexity: O(bytes), with an allocation for each action.
  public func differs(from base: Self) -> Bool { encoded() != base.encoded() }
}
