/// What a feature's state and actions look like on the wire, with the names that the bytes leave out.
///
/// The same feature has the same schema, and the same bytes of it, in every process.
public struct Schema: Hashable, Sendable {
  /// How long a name may be in a schema that is read.
  static let nameLimit = 1024
  /// How many definitions a schema that is read may have.
  static let definitionLimit = 1024

  /// A struct or an enum.
  public struct Definition: Hashable, Sendable {
    /// The type's name, without its module.
    public var name: String
    /// What is in it.
    public var content: Content
    /// The keys that lead from a struct to its id as an element of an identified array; empty if it has none, or
    /// computes it.
    public var id: [UInt64]

    /// Creates a definition.
    public init(name: String, id: [UInt64] = [], content: Content) {
      (self.name, self.id, self.content) = (name, id, content)
    }
  }

  /// What is in a struct or an enum.
  public enum Content: Hashable, Sendable {
    /// The fields in the order of their keys.
    case fields([Field])
    /// The cases in the order of their keys.
    case cases([Case])
  }

  /// A field of a struct.
  public struct Field: Hashable, Sendable {
    /// The key on the wire.
    public var key: UInt64
    /// The name in the source.
    public var name: String
    /// The type.
    public var type: SchemaType
    /// Whether a reader can do without it.
    public var hasDefault: Bool

    /// Creates a field.
    public init(key: UInt64, name: String, type: SchemaType, hasDefault: Bool) {
      (self.key, self.name, self.type, self.hasDefault) = (key, name, type, hasDefault)
    }
  }

  /// A case of an enum.
  public struct Case: Hashable, Sendable {
    /// The key on the wire.
    public var key: UInt64
    /// The name in the source.
    public var name: String
    /// The payload's values in order.
    public var payload: [Payload]

    /// Creates a case.
    public init(key: UInt64, name: String, payload: [Payload]) {
      (self.key, self.name, self.payload) = (key, name, payload)
    }
  }

  /// One value of a case's payload.
  public struct Payload: Hashable, Sendable {
    /// The label in the source; empty for none.
    public var label: String
    /// The type.
    public var type: SchemaType

    /// Creates a value's description.
    public init(label: String, type: SchemaType) {
      (self.label, self.type) = (label, type)
    }
  }

  /// The state's type.
  public var state: SchemaType
  /// The actions' type.
  public var action: SchemaType
  /// The structs and enums that the two are made of, in the order in which they are met.
  public var definitions: [Definition]

  /// Describes a feature.
  public init<State: WireValue, Action: WireValue>(state: State.Type, action: Action.Type) {
    var builder = SchemaBuilder()
    self.state = State.schema(in: &builder)
    self.action = Action.schema(in: &builder)
    definitions = builder.definitions
  }
}
