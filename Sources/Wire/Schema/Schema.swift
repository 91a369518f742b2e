/// The encoding of a feature's state and actions, with the names that the bytes omit.
///
/// The schema of a feature, including its bytes, is the same in every process.
public struct Schema: Hashable, Sendable {
  /// The maximum length of a name in a decoded schema.
  static let nameLimit = 1024
  /// The maximum number of definitions in a decoded schema.
  static let definitionLimit = 1024
  /// The maximum number of former names of a field or a case in a decoded schema.
  static let formerNameLimit = 64

  /// A struct or an enum.
  public struct Definition: Hashable, Sendable {
    /// The type's name, without its module.
    public var name: String
    /// The fields or cases.
    public var content: Content
    /// The keys that lead from a struct to its id as an element of an identified array; empty if the id is computed or
    /// missing.
    public var id: [UInt64]

    /// Creates a definition.
    public init(name: String, id: [UInt64] = [], content: Content) {
      (self.name, self.id, self.content) = (name, id, content)
    }
  }

  /// The fields of a struct or the cases of an enum.
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
    /// True if a reader can do without the field.
    public var hasDefault: Bool
    /// The names that it had in earlier versions; not compared by `==`.
    public var formerNames: [String]

    /// Creates a field.
    public init(key: UInt64, name: String, type: SchemaType, hasDefault: Bool, formerNames: [String] = []) {
      (self.key, self.name, self.type, self.hasDefault) = (key, name, type, hasDefault)
      self.formerNames = formerNames
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
    /// The names that it had in earlier versions; not compared by `==`.
    public var formerNames: [String]

    /// Creates a case.
    public init(key: UInt64, name: String, payload: [Payload], formerNames: [String] = []) {
      (self.key, self.name, self.payload, self.formerNames) = (key, name, payload, formerNames)
    }
  }

  /// One value of a case's payload.
  public struct Payload: Hashable, Sendable {
    /// The label in the source; empty if there is none.
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
  /// The structs and enums that occur in the two, in the order of their first occurrence.
  public var definitions: [Definition]

  /// Describes a feature.
  public init<State: WireValue, Action: WireValue>(state: State.Type, action: Action.Type) {
    var builder = SchemaBuilder()
    self.state = State.schema(in: &builder)
    self.action = Action.schema(in: &builder)
    definitions = builder.definitions
  }
}
