import IdentifiedCollections
import ReplicaCore
import Wire

/// The types of the suite's scripted hub (`SCHEMA` in Tests/Conformance/scripted.py).
enum Scripted {
  @Replicated
  struct State {
    var count = 0
    var items: IdentifiedArray<Int, Item> = []
    var note: String?
  }

  @Replicated
  enum Action {
    case increment
    case add(text: String)
  }

  @Replicated
  struct Item: Identifiable {
    let id: Int
    var text: String
  }
}

extension Schema {
  /// True if it is that of the scripted hub.
  var isScripted: Bool { definitions.map(\.name) == ["State", "Action", "Item"] }
}

/// A mirror that tells of each comparison with the hub.
final class JudgedMirror: Mirror {
  private let mirror: any Mirror
  private let currentBytes: () -> [UInt8]?
  private let onComparison: (HashComparison) -> Void

  /// Creates a mirror of the part that is the state of a schema of the scripted hub; nil for a mirror by the hub's schema.
  init(of place: Schema?, _ onComparison: @escaping (HashComparison) -> Void) {
    self.onComparison = onComparison
    typealias Items = IdentifiedArray<Int, Scripted.Item>
    let types: [any Replicated.Type] = [
      Scripted.State.self, Scripted.Item.self, Items.self, Window<Items>.self, Int.self, String.self, String?.self,
    ]
    let type = types.first { $0.schemaName == place?.stateName }
    (mirror, currentBytes) = type.map { Self.typed($0) } ?? Self.bySchema()
  }

  private static func typed<Part: Replicated>(_ type: Part.Type) -> (any Mirror, () -> [UInt8]?) {
    let mirror = TypedMirror<Part>()
    return (mirror, { mirror.part?.encoded() })
  }

  private static func bySchema() -> (any Mirror, () -> [UInt8]?) {
    let mirror = ValueMirror()
    return (mirror, { mirror.value?.encoded() })
  }

  /// The bytes of the value; nil if it is absent.
  var bytes: [UInt8]? { currentBytes() }
  var revision: UInt64? { mirror.revision }

  func attach(_ schema: Schema, at path: [PathStep]) throws(SchemaPathError) { try mirror.attach(schema, at: path) }
  func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool {
    try mirror.replace(with: value, at: revision)
  }
  func apply(_ change: consuming CBORDecoder, at revision: UInt64) throws(WireError) {
    try mirror.apply(change, at: revision)
  }
  func advance(to revision: UInt64) { mirror.advance(to: revision) }
  func remove(at revision: UInt64) { mirror.remove(at: revision) }
  func hash() -> StateHash? { mirror.hash() }
  func compared(_ comparison: HashComparison) { onComparison(comparison) }
}

extension Schema {
  /// The name of the state's type, such as `IdentifiedArray<Int, Item>`.
  fileprivate var stateName: String { name(of: state) }

  private func name(of type: SchemaType) -> String {
    switch type {
    case .definition(let index): definitions[index].name.split(separator: ".").last.map(String.init) ?? ""
    case .named(let name, let parts):
      parts.isEmpty ? name : "\(name)<\(parts.map { self.name(of: $0) }.joined(separator: ", "))>"
    }
  }
}

extension Replicated {
  fileprivate static var schemaName: String { Schema(state: Self.self, action: Never.self).stateName }
}
