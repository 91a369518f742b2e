internal import ReplicatedArchitecture
internal import Wire

/// A change of a part of a model: what the hub is sent, and what is merged into the part here.
nonisolated struct PartChange<Model: Replicated>: Sendable {
  let change: SharedChange<Model>
  /// The change of the part (`Replicated.encodeChange`).
  let bytes: [UInt8]

  /// The changes from one value of a part to another: none if they do not differ, and one for each changed field if the
  /// part is the model itself.
  static func changes<Part: Replicated>(of path: [PathStep], from base: Part, to value: Part) -> [PartChange] {
    guard value.differs(from: base) else { return [] }
    let bytes = value.change(from: base)
    let changes = path.isEmpty ? try? fields(of: bytes) : (try? part(at: path, bytes)).map { [$0] }
    // The bytes are our own, and the path was made for the model.
    guard let changes else { preconditionFailure("\(path) is no path of a field in \(Model.self)") }
    return changes
  }

  private static func part(at path: [PathStep], _ bytes: [UInt8]) throws(WireError) -> PartChange {
    PartChange(change: try SharedChange(at: path, change: bytes.span.bytes), bytes: bytes)
  }

  private static func fields(of bytes: [UInt8]) throws(WireError) -> [PartChange] {
    let change = bytes.span.bytes
    var changes: [PartChange] = []
    var decoder = CBORDecoder(change)
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      let field = try decoder.item()
      var encoder = CBOREncoder()
      encoder.change(of: key)
      encoder.append(field)
      changes.append(PartChange(change: try SharedChange(at: [.key(key)], change: field), bytes: encoder.bytes))
    }
    return changes
  }
}
