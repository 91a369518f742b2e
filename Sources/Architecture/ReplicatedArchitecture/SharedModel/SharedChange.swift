public import Wire

/// What a client did to one field of a shared model: the action of a `SharedModel`.
///
/// A client sends the change from the value that it knew, and not the new value, so that what others did meanwhile
/// remains. The rules for each type are in docs/SHARED-MODEL.md.
///
/// ```swift
/// let before = planner
/// planner.syncUps.append(syncUp)
/// for change in SharedChange.changes(from: before, to: planner) { store.send(change) }
/// ```
///
/// It is written like an enum with a case for each field of the model, whose payload is the change of the field. The
/// model is a struct.
public struct SharedChange<Model: Replicated>: Equatable, Sendable {
  /// `{field: change}`, which is a change of the model.
  private let bytes: [UInt8]

  /// The key of the changed field.
  public let field: UInt64

  /// The name of the changed field.
  public var fieldName: String { SharedFields.of(Model.self).name(of: field) ?? "\(field)" }

  /// Creates a change of the part at a path.
  ///
  /// - Parameters:
  ///   - path: The steps from the model to the part; the first is a field.
  ///   - change: The bytes of the change, which are checked to be one well-formed item. Whether they fit the part is
  ///     known when they are merged.
  /// - Throws: The problem with the bytes, or with a path that does not begin with a field of the model.
  /// - Complexity: O(bytes).
  public init(at path: [PathStep], change: RawSpan) throws(WireError) {
    guard case .key(let field)? = path.first else {
      throw WireError(.typeMismatch(expected: "a path that begins with a field of the model"), at: 0)
    }
    guard SharedFields.of(Model.self).contains(field) else {
      throw WireError(.unknownCase(field, type: "SharedChange"), at: 0)
    }
    guard !path.contains(where: \.isWindow) else {
      throw WireError(.typeMismatch(expected: "a path to a part, not to a window"), at: 0)
    }
    var decoder = CBORDecoder(change)
    try decoder.skip()
    try decoder.finish()
    self.init(field, inside: path.dropFirst(), change)
  }

  private init(_ field: UInt64, inside path: ArraySlice<PathStep>, _ change: RawSpan) {
    var encoder = CBOREncoder()
    encoder.change(of: field)
    for step in path {
      switch step {
      case .key(let key): encoder.change(of: key)
      case .id(let id):
        // One changed element of an identified array.
        encoder.change(of: 3)
        encoder.arrayHeader(count: 2)
        encoder.append(id.span.bytes)
      case .window: preconditionFailure("a window of a shared model is read, not changed")
      }
    }
    encoder.append(change)
    (self.field, bytes) = (field, encoder.bytes)
  }

  /// The change of each field that differs, in the order of their keys.
  /// - Complexity: That of `encodeDelta(from:to:)`.
  public static func changes(from base: Model, to model: Model) -> [SharedChange] {
    changes(at: StatePath(), from: base, to: model)
  }

  /// The changes of the part at a path: none if its values do not differ, one for each field if it is the model itself,
  /// and otherwise one.
  public static func changes<Part: Replicated>(
    at path: StatePath<Model, Part>, from base: Part, to part: Part
  ) -> [SharedChange] {
    guard part.differs(from: base) else { return [] }
    let change = part.change(from: base)
    if case .key(let field)? = path.steps.first {
      return [SharedChange(field, inside: path.steps.dropFirst(), change.span.bytes)]
    }
    // The bytes are our own.
    guard let fields = try? fields(of: change.span.bytes) else {
      preconditionFailure("\(Model.self) is a shared model, and no struct")
    }
    return fields
  }

  private static func fields(of change: RawSpan) throws(WireError) -> [SharedChange] {
    var decoder = CBORDecoder(change)
    var changes: [SharedChange] = []
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      changes.append(SharedChange(key, inside: [], try decoder.item()))
    }
    return changes
  }

  /// Merges the change into a model, entirely or not at all.
  ///
  /// - Throws: The reason why it cannot be merged; see `Replicated.merge(change:)`.
  /// - Complexity: That of `Replicated.merge(change:)`: O(k log n) for k changed elements of an identified array.
  public func apply(to model: inout Model) throws(WireError) {
    try model.merge(change: bytes.span.bytes)
  }
}

extension SharedChange: WireValue {
  /// Writes the case of the field, with the change.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    // The map of one pair has a header of one byte.
    encoder.append(bytes.span.bytes.extracting(droppingFirst: 1))
  }

  /// Reads the case of a field, with any well-formed item.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let (field, payloadCount) = try decoder.caseKey()
    guard payloadCount == 1, SharedFields.of(Model.self).contains(field) else {
      throw WireError(.unknownCase(field, type: "SharedChange"), at: start)
    }
    self.init(field, inside: [], try decoder.item())
  }

  /// An enum with a case for each field of the model.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.changes(Self.self, name: "SharedChange", of: Model.self)
  }
}

extension SharedChange: Replicated {}

extension SharedChange: CustomStringConvertible {
  /// The field's name and the bytes of its change.
  public var description: String {
    guard case .map(let fields)? = try? CBORValue(decoding: bytes.span.bytes), let change = fields.first?.value else {
      return fieldName
    }
    return "\(fieldName): \(change)"
  }
}
