import Wire

/// An action on its way to the hub that leads: the revision of the last state that its client had received, or null; true
/// if the client may cancel its effects; and behind them the action.
struct ForwardedAction {
  let seen: UInt64?
  let mayCancel: Bool
  private let bytes: [UInt8]
  /// The offset at which the action begins.
  private let start: Int

  /// Reads an action that another hub has passed on.
  init(_ bytes: [UInt8]) throws(WireError) {
    var decoder = CBORDecoder(bytes.span.bytes)
    seen = try decoder.null() ? nil : try decoder.unsigned()
    mayCancel = try decoder.bool()
    (self.bytes, start) = (bytes, decoder.offset)
  }

  /// Adds the action to the payload of a frame.
  func append(to payload: inout CBOREncoder) { payload.append(bytes.span.bytes.extracting(start...)) }

  /// The bytes of an action to pass on.
  static func encoded(_ action: RawSpan, seen: UInt64?, mayCancel: Bool) -> [UInt8] {
    var encoder = CBOREncoder()
    if let seen { encoder.unsigned(seen) } else { encoder.null() }
    encoder.bool(mayCancel)
    encoder.append(action)
    return encoder.bytes
  }
}
