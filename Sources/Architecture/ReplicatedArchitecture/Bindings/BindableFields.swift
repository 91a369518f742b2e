internal import ComposableCore
internal import Synchronization
internal import Wire

/// The fields of a state that binding actions can set, also those inside other fields.
final class BindableFields<Root: Replicated>: Sendable {
  /// What the key of a case leads to.
  enum Member: Sendable {
    case field(any BindableField<Root>)
    /// A field that has such fields itself.
    case part([UInt64: Member])
  }

  private let members: [UInt64: Member]
  private let fields: [any BindableField<Root>]

  /// The fields of `Root`, which are looked for once.
  static var all: BindableFields {
    let type = ObjectIdentifier(Root.self)
    if let known = knownFields.withLock({ $0[type] }) as? BindableFields { return known }
    let found = BindableFields()
    knownFields.withLock { $0[type] = found }
    return found
  }

  private init() {
    let search = FieldSearch<Root, Root>(below: \.self, cases: [])
    Root.visitFields(search)
    (members, fields) = (search.members, search.fields)
  }

  /// Writes an action; returns false, and writes nothing, if its field is none of these.
  /// - Complexity: O(fields).
  func encode(_ action: BindingAction<Root>, to encoder: inout CBOREncoder) -> Bool {
    guard let field = fields.first(where: { $0.sets(action) }) else { return false }
    for key in field.cases { encoder.enumCase(key, payloadCount: 1) }
    field.encodeValue(of: action, to: &encoder)
    return true
  }

  /// Reads an action.
  func decode(from decoder: inout CBORDecoder) throws(WireError) -> BindingAction<Root> {
    var members = members
    while true {
      let start = decoder.offset
      let (key, payloadCount) = try decoder.caseKey()
      switch members[key] {
      case .field(let field)? where payloadCount == 1: return try field.action(from: &decoder)
      case .part(let inner)? where payloadCount == 1: members = inner
      default: throw WireError(.unknownCase(key, type: "BindingAction"), at: start)
      }
    }
  }
}

private let knownFields = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

/// Collects the fields of a part of a state, and of the parts in it.
private final class FieldSearch<Root: Replicated, Part: Replicated>: FieldVisitor {
  private let whole: any WritableKeyPath<Root, Part> & Sendable
  /// The keys of the cases that lead to the part.
  private let cases: [UInt64]
  private(set) var members: [UInt64: BindableFields<Root>.Member] = [:]
  private(set) var fields: [any BindableField<Root>] = []

  init(below whole: any WritableKeyPath<Root, Part> & Sendable, cases: [UInt64]) {
    (self.whole, self.cases) = (whole, cases)
  }

  func visit<Value: Replicated & Equatable & Sendable>(
    _ name: String, key: UInt64, _ path: any WritableKeyPath<Part, Value> & Sendable
  ) {
    guard let key = BindableCase.key(ofField: key) else { return }
    let place = whole.appending(path: path)
    // Both parts are Sendable, and the result captures nothing else.
    let path = unsafeBitCast(place, to: (any WritableKeyPath<Root, Value> & Sendable).self)
    let cases = cases + [key]
    let inner = FieldSearch<Root, Value>(below: path, cases: cases)
    Value.visitFields(inner)
    let isPart = !inner.members.isEmpty
    let field = TypedField(path: path, cases: isPart ? cases + [BindableCase.whole] : cases)
    fields.append(field)
    fields += inner.fields
    members[cases[cases.count - 1]] =
      isPart ? .part(inner.members.merging([BindableCase.whole: .field(field)]) { $1 }) : .field(field)
  }
}
