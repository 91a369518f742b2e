internal import Synchronization
internal import Wire

/// The keys and names of a model's fields.
struct SharedFields: Sendable {
  private let names: [UInt64: String]

  /// The fields of a model, which are looked for once; none for a type that is no struct.
  static func of<Model: Replicated>(_ model: Model.Type) -> SharedFields {
    let type = ObjectIdentifier(model)
    if let known = knownFields.withLock({ $0[type] }) { return known }
    let found = SharedFields(Schema(state: model, action: Never.self))
    knownFields.withLock { $0[type] = found }
    return found
  }

  private init(_ schema: Schema) {
    guard case .definition(let index) = schema.state, case .fields(let fields) = schema.definitions[index].content
    else {
      names = [:]
      return
    }
    names = Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.name) })
  }

  /// Returns true if the model has a field with this key.
  func contains(_ key: UInt64) -> Bool { names[key] != nil }

  /// The name of the field with this key.
  func name(of key: UInt64) -> String? { names[key] }
}

private let knownFields = Mutex<[ObjectIdentifier: SharedFields]>([:])
