import IdentifiedCollections
public import Senders
public import Wire

extension StateView {
  /// Declares a view of elements, which follows their changes.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - elements: The elements.
  public init<Element>(_ name: String, _ elements: Elements<State, Element>) {
    self.init(name, [], IdentifiedArrayOf<Element>.schema) { (_, _) throws(WireError) in elements }
  }

  /// Declares a view of elements with a parameter. The hub follows their changes for each distinct value of it that a
  /// client has attached.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - parameter: The parameter's type. Clients choose its value, whose encoding has at most
  ///     1,024 bytes.
  ///   - elements: Called once for each value; returns the elements of the view for it.
  public init<Parameter: WireValue, Element>(
    _ name: String, parameter: Parameter.Type,
    _ elements: @escaping (_ parameter: Parameter) -> Elements<State, Element>
  ) {
    self.init(name, .parametrised, Self.type(Parameter.self, IdentifiedArrayOf<Element>.self)) {
      (bytes, _) throws(WireError) in elements(try Parameter(decoding: bytes.span.bytes))
    }
  }

  /// Declares a view of elements for each user.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - user: `SystemUser.self`.
  ///   - elements: Called once for each user; returns the elements of the view for that user, with the groups of the
  ///     process.
  public init<Element>(
    _ name: String, for user: SystemUser.Type, _ elements: @escaping (_ user: SystemUser) -> Elements<State, Element>
  ) {
    self.init(name, .perUser, IdentifiedArrayOf<Element>.schema) { (_, user) throws(WireError) in elements(user) }
  }

  /// Declares a view of elements for each user with a parameter.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - user: `SystemUser.self`.
  ///   - parameter: The parameter's type; clients choose its value.
  ///   - elements: Called once for each user and value; returns the elements of the view for them.
  public init<Parameter: WireValue, Element>(
    _ name: String, for user: SystemUser.Type, parameter: Parameter.Type,
    _ elements: @escaping (_ user: SystemUser, _ parameter: Parameter) -> Elements<State, Element>
  ) {
    self.init(name, [.perUser, .parametrised], Self.type(Parameter.self, IdentifiedArrayOf<Element>.self)) {
      (bytes, user) throws(WireError) in elements(user, try Parameter(decoding: bytes.span.bytes))
    }
  }

  private init<Element>(
    _ name: String, _ kind: ViewDeclaration.Kind, _ type: @escaping (inout SchemaBuilder) -> SchemaType,
    _ elements: @escaping (_ parameter: [UInt8], _ user: SystemUser) throws(WireError) -> Elements<State, Element>
  ) {
    let reads = ElementReads<State>()
    self.init(name, kind, type, inputDiffers: reads.differ) { (parameter, user) throws(WireError) in
      let elements = try elements(parameter, user)
      reads.add(elements.inputs)
      return elements.follow()
    }
  }
}
