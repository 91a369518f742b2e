public import ComposableCore
public import Wire

@available(
  *, unavailable,
  message: """
    A BindingAction holds a key path, which means nothing in another process. Send an action of your own with the new \
    value, such as 'case nameChanged(String)', and bind views to it with 'sending'.
    """
)
extension BindingAction: Replicated {
  /// Never called.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.null()
  }

  /// Never called.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    throw WireError(.typeMismatch(expected: "a replicated action"), at: decoder.offset)
  }
}
