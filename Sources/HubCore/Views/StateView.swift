import FeatureCore
public import Senders
public import Wire

/// A value that a hub computes from its state, and that clients attach like a part of the state.
///
/// A service declares views beside its state. The hub computes a view while a client has attached it, at most once in
/// each turn, and only if what it reads has changed; the change is encoded once for all subscribers.
///
/// ```swift
/// var views: StateViews<App.State> {
///   StateView("counts", of: \.todos) { todos in Counts(open: todos.openCount, all: todos.todos.count) }
///   StateView("tagged", of: \.todos.todos, parameter: String.self) { todos, tag in todos.filter { $0.tags.contains(tag) } }
///   StateView("mine", of: \.tasks, for: SystemUser.self) { tasks, user in tasks.filter { $0.owner == user.id } }
/// }
/// ```
///
/// Clients name it `view:counts` on the command line, and `ViewName("counts")` in Swift. The right to attach it is
/// `read = view:counts`; whoever may read the whole state may attach all views. A view for a user is computed from that
/// user's identity as the kernel knows it, so it can give a user the right to some rows of a collection: nothing of the
/// others reaches the client.
///
/// A view depends on nothing but its arguments: not on the time, dependencies or other state. It does not depend on fields
/// marked `@Replicated(omit)` either, whose changes alone are none of the state.
///
/// - Precondition: Its type is one of which every value can be read back: it does not contain itself; keys, members, ids
///   and ranges have no `Double`, `Float`, `Date` or `Decimal`, and keys no field that is not written; and no part is a
///   `URL`, a `Decimal`, a struct with a raw value (other than an option set), or of a type with a decoder of its own.
public struct StateView<State: Replicated> {
  let declaration: ViewDeclaration

  private init(_ declaration: ViewDeclaration) { self.declaration = declaration }
}

extension StateView {
  /// Declares a view of the whole state. It is computed in each turn that changes the state.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - value: Computes it from the state.
  public init<Value: Replicated>(_ name: String, _ value: @escaping (_ state: State) -> Value) {
    self.init(name, of: \.self, value)
  }

  /// Declares a view of a part of the state. It is computed in each turn that changes the part.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - input: The part that it reads.
  ///   - value: Computes it from the part.
  public init<Input: Replicated, Value: Replicated>(
    _ name: String, of input: KeyPath<State, Input>, _ value: @escaping (_ input: Input) -> Value
  ) {
    self.init(name, [], of: input, Value.schema) { (_, _) throws(WireError) in value }
  }

  /// Declares a view with a parameter, computed for each distinct value of it that a client has attached.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - input: The part of the state that it reads.
  ///   - parameter: The parameter's type. Clients choose its value, whose encoding has at most
  ///     1,024 bytes.
  ///   - value: Computes it from the part and the parameter.
  public init<Input: Replicated, Parameter: WireValue, Value: Replicated>(
    _ name: String, of input: KeyPath<State, Input>, parameter: Parameter.Type,
    _ value: @escaping (_ input: Input, _ parameter: Parameter) -> Value
  ) {
    self.init(name, .parametrised, of: input, Self.type(Parameter.self, Value.self)) { (bytes, _) throws(WireError) in
      let parameter = try Parameter(decoding: bytes.span.bytes)
      return { value($0, parameter) }
    }
  }

  /// Declares a view for each user, computed once for all connections of one user.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - input: The part of the state that it reads.
  ///   - user: `SystemUser.self`.
  ///   - value: Computes it from the part and the user of the client, with the groups of its process.
  public init<Input: Replicated, Value: Replicated>(
    _ name: String, of input: KeyPath<State, Input>, for user: SystemUser.Type,
    _ value: @escaping (_ input: Input, _ user: SystemUser) -> Value
  ) {
    self.init(name, .perUser, of: input, Value.schema) { (_, user) throws(WireError) in { value($0, user) } }
  }

  /// Declares a view for each user with a parameter.
  ///
  /// - Parameters:
  ///   - name: Its name: a Swift identifier.
  ///   - input: The part of the state that it reads.
  ///   - user: `SystemUser.self`.
  ///   - parameter: The parameter's type; clients choose its value.
  ///   - value: Computes it from the part, the user of the client, and the parameter.
  public init<Input: Replicated, Parameter: WireValue, Value: Replicated>(
    _ name: String, of input: KeyPath<State, Input>, for user: SystemUser.Type, parameter: Parameter.Type,
    _ value: @escaping (_ input: Input, _ user: SystemUser, _ parameter: Parameter) -> Value
  ) {
    self.init(name, [.perUser, .parametrised], of: input, Self.type(Parameter.self, Value.self)) {
      (bytes, user) throws(WireError) in
      let parameter = try Parameter(decoding: bytes.span.bytes)
      return { value($0, user, parameter) }
    }
  }

  static func type<Parameter: WireValue, Value: Replicated>(
    _: Parameter.Type, _: Value.Type
  ) -> (inout SchemaBuilder) -> SchemaType {
    { .named("View", [Parameter.schema(in: &$0), Value.schema(in: &$0)]) }
  }

  private init<Input: Replicated, Value: Replicated>(
    _ name: String, _ kind: ViewDeclaration.Kind, of input: KeyPath<State, Input>,
    _ type: @escaping (inout SchemaBuilder) -> SchemaType,
    _ begin: @escaping (_ parameter: [UInt8], _ user: SystemUser) throws(WireError) -> (Input) -> Value
  ) {
    let inputDiffers = { (old: State, new: State) in new[keyPath: input].differs(from: old[keyPath: input]) }
    self.init(name, kind, type, inputDiffers: inputDiffers) { (parameter, user) throws(WireError) in
      let compute = try begin(parameter, user)
      return { state, _ in compute(state[keyPath: input]) }
    }
  }

  /// Computes the value for a state; nil if the budget did not suffice.
  typealias Computation<Value> = (_ state: State, _ budget: inout WorkBudget) -> Value?

  /// Declares a view.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - kind: By what its values are distinguished.
  ///   - type: Describes its type in the schema of the views.
  ///   - inputDiffers: Returns true if what it reads differs between two states.
  ///   - begin: Begins a value: returns what computes it from one state after the other, or nil if the budget did not
  ///     suffice.
  init<Value: Replicated>(
    _ name: String, _ kind: ViewDeclaration.Kind, _ type: @escaping (inout SchemaBuilder) -> SchemaType,
    inputDiffers: @escaping (_ old: State, _ new: State) -> Bool,
    begin: @escaping (_ parameter: [UInt8], _ user: SystemUser) throws(WireError) -> Computation<Value>
  ) {
    precondition(Self.isIdentifier(name), "the name of a view is a Swift identifier, and not '\(name)'")
    let risks = ReadingRisks(of: Value.self)
    precondition(
      risks.isEmpty,
      """
      clients may be unable to read values of the view '\(name)': its type \(Value.self) \(Self.reasons(risks)); give the \
      view a type of its own
      """)
    self.init(
      ViewDeclaration(
        name: name, kind: kind, description: ViewDescription(name, type: type),
        inputDiffers: { old, new in
          Reducing.unobserved { inputDiffers(Self.state(of: old), Self.state(of: new)) }
        },
        begin: { (parameter, user) throws(WireError) in
          let compute = try begin(parameter ?? [], user)
          return { state, last, budget in
            guard let value = Reducing.unobserved({ compute(Self.state(of: state), &budget) })
            else { return .unfinished }
            if let last, !value.differs(from: unsafeDowncast(last, to: TypedVersion<Value>.self).state) {
              return .unchanged
            }
            return .changed(TypedVersion(value))
          }
        }))
  }

  private static func reasons(_ risks: ReadingRisks) -> String {
    var reasons: [String] = []
    if !risks.isDisjoint(with: [.depth, .nesting]) { reasons.append("contains itself") }
    if risks.contains(.keys) { reasons.append("has keys, members or ids that are not completely written") }
    if risks.contains(.values) {
      reasons.append(
        """
        has a number that may be NaN in a key, a member, an id or a range, or a value that its own decoder may refuse, \
        such as a URL, a Decimal, or a struct with a raw value
        """)
    }
    return reasons.joined(separator: ", and ")
  }

  private static func state(of version: StateVersion) -> State {
    // All versions of one hub's state have its type.
    unsafeDowncast(version, to: TypedVersion<State>.self).state
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
  }
}

/// The views that a feature declares, in their order.
///
/// ```swift
/// var views: StateViews<App.State> {
///   StateView("counts") { state in Counts(of: state) }
/// }
/// ```
public struct StateViews<State: Replicated> {
  private let views: [StateView<State>]

  /// No views.
  public init() { views = [] }

  /// Declares views.
  /// - Precondition: Their names are different.
  public init(@StateViewsBuilder<State> _ views: () -> StateViews<State>) { self = views() }

  fileprivate init(_ views: [StateView<State>]) { self.views = views }

  /// The schema of the views, as a struct with a field for each; nil if there are none.
  /// - Complexity: That of describing their types.
  package var schema: Schema? { views.isEmpty ? nil : declared.schema }

  /// The same without types; describes their schema.
  var declared: DeclaredViews { DeclaredViews(views.map(\.declaration)) }
}

/// Collects the views of a feature.
@resultBuilder
public enum StateViewsBuilder<State: Replicated> {
  /// A view, whose state is that of the list.
  public static func buildExpression(_ view: StateView<State>) -> StateView<State> { view }

  /// The list of views.
  public static func buildBlock(_ views: StateView<State>...) -> StateViews<State> { StateViews(views) }
}
