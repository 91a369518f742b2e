import SwiftSyntax
import SwiftSyntaxMacros

/// A replicated field of a struct.
struct ReplicatedField {
  /// The location of the field's value, for reading it without observation and for setting it in an initialiser.
  enum Storage {
    case plain
    /// `@ObservableState` stores it under the name with an underscore.
    case tracked
    /// `@Presents` stores it in a `PresentationState`.
    case presented
  }

  /// The name as in the source, including backticks.
  let name: String
  let key: UInt64
  let type: TypeSyntax?
  let storage: Storage
  let isVar: Bool
  let hasDefault: Bool
  let isOptional: Bool
  /// The directive that directs diagnostics to the field's line.
  let location: String?

  /// The statement that copies the field from `base` in an initialiser.
  var copy: String { Self.copy(name, isPlain: storage == .plain) }

  static func copy(_ name: String, isPlain: Bool) -> String {
    isPlain ? "self.\(name) = base.\(name)" : "self._\(plain(name)) = base._\(plain(name))"
  }

  /// The expression for the field's value, of `self` or of another value.
  func value(of root: String = "self") -> String {
    switch storage {
    case .plain: "\(root).\(name)"
    case .tracked: "\(root)._\(plain(name))"
    case .presented: "\(root)._\(plain(name)).wrappedValue"
    }
  }

  /// The expression that reads the field's value.
  var read: String { "try Wire.Expansion.\(storage == .presented ? "nested" : "value")(from: &decoder)" }

  /// The statement that sets the field in an initialiser.
  func initialisation(to value: String) -> String {
    switch storage {
    case .plain: "self.\(name) = \(value)"
    case .tracked: "self._\(plain(name)) = \(value)"
    case .presented: "self._\(plain(name)) = .init(wrappedValue: \(value))"
    }
  }
}

/// The replicated fields of a struct, in the order of their keys.
struct ReplicatedFields {
  var fields: [ReplicatedField] = []
  /// The statements that copy the other fields from `base`.
  var omitted: [String] = []
  /// The names that lead to the struct's id: a field's own, or those in the getter of a computed `id`.
  var id: [String] = []

  /// Reads a declaration; returns nil, with diagnostics, if a part of it cannot be replicated.
  init?(of declaration: StructDeclSyntax, in context: some MacroExpansionContext) {
    var keys = ReplicatedKeys()
    var isWhole = true
    let isObservable = declaration.attributes.hasAny(of: ["ObservableState"])
    for variable in declaration.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
      if variable.modifiers.has(.lazy) && !variable.attributes.isOmitted {
        context.complain(
          "A lazy field has no value until somebody asks; mark it '@Replicated(omit)' or make it a plain 'var'",
          at: variable)
        isWhole = false
      }
      guard variable.isStoredInstanceVariable else {
        if let path = variable.pathOfID { id = path }
        continue
      }
      if variable.attributes.isOmitted {
        isWhole = Self.checkOmitted(variable, in: context) && isWhole
        if variable.isVar {
          let kept = ["Shared", "SharedReader", "Presents", "Dependency"]
          let isTracked = isObservable && !variable.attributes.hasAny(of: ["ObservationStateIgnored"])
          omitted += variable.bindings.compactMap {
            $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription
          }.map { ReplicatedField.copy($0, isPlain: !isTracked && !variable.attributes.hasAny(of: kept)) }
        }
        continue
      }
      var type: TypeSyntax?
      var found: [ReplicatedField?] = []
      for binding in variable.bindings {
        // In 'var x, y: Int' the type follows the last name.
        type =
          binding.typeAnnotation?.type
          ?? (binding.initializer == nil
            ? variable.bindings.drop { $0.id != binding.id }.lazy.compactMap(\.typeAnnotation?.type).first : nil)
        found.append(
          Self.field(
            binding, type, of: variable, isObservable: isObservable && variable.isVar, keys: &keys, in: context))
      }
      isWhole = isWhole && !found.contains { $0 == nil }
      fields += found.compactMap(\.self)
    }
    if fields.count > 64 {
      context.complain(
        "A struct has at most 64 replicated fields; put some of the \(fields.count) into a struct of their own",
        at: declaration.name)
      return nil
    }
    guard isWhole else { return nil }
    if fields.contains(where: { $0.name == "id" }) { id = ["id"] }
    fields.sort { $0.key < $1.key }
  }

  private static func field(
    _ binding: PatternBindingSyntax, _ type: TypeSyntax?, of variable: VariableDeclSyntax, isObservable: Bool,
    keys: inout ReplicatedKeys, in context: some MacroExpansionContext
  ) -> ReplicatedField? {
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription else {
      context.complain("A replicated field has one name: split the declaration", at: binding.pattern)
      return nil
    }
    guard let key = keys.key(of: name, variable.attributes, at: binding, in: context) else { return nil }
    let isOptional = type?.isOptional ?? false
    let hasInitialiser = binding.initializer != nil
    if !variable.isVar && hasInitialiser {
      context.complain(
        """
        'let \(name)' has its value already, so none can be read into it; make it a 'var', or mark it '@Replicated(omit)'
        """,
        at: binding)
      return nil
    }
    if type == nil && !hasInitialiser {
      context.complain("'\(name)' needs a type or an initial value to be replicated", at: binding)
      return nil
    }
    if let reason = type?.reasonNotToTravel ?? binding.initializer?.value.reasonNotToTravel {
      context.complain(
        "'\(name)' cannot be replicated: \(reason). Or mark it '@Replicated(omit)' and give it a default", at: binding)
      return nil
    }
    if variable.attributes.hasAny(of: ["Shared", "SharedReader", "Dependency"]) {
      context.complain(
        "'\(name)' cannot be replicated: its value is stored elsewhere and replicated from there; mark it '@Replicated(omit)'",
        at: binding)
      return nil
    }
    let storage: ReplicatedField.Storage
    if variable.attributes.hasAny(of: ["Presents"]) {
      storage = .presented
    } else if isObservable && !variable.attributes.hasAny(of: ObservableStateMacro.untracked) {
      storage = .tracked
    } else {
      storage = .plain
    }
    return ReplicatedField(
      name: name, key: key, type: type, storage: storage, isVar: variable.isVar,
      hasDefault: hasInitialiser || (variable.isVar && isOptional), isOptional: isOptional,
      location: context.lineDirective(of: binding))
  }

  private static func checkOmitted(
    _ variable: VariableDeclSyntax, in context: some MacroExpansionContext
  ) -> Bool {
    for binding in variable.bindings where binding.initializer == nil {
      if variable.isVar, binding.typeAnnotation?.type.isOptional ?? false { continue }
      if !variable.attributes.hasAny(of: ["Shared", "SharedReader", "Dependency"]) {
        context.complain(
          "'\(binding.pattern.trimmedDescription)' is omitted, so it needs a default for values that were read",
          at: binding)
        return false
      }
    }
    return true
  }
}

extension TypeSyntax {
  /// True if it is written as an optional.
  var isOptional: Bool {
    if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
    let name = self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
    return name?.text == "Optional"
  }

  /// The reason why no value of the type can be replicated, for types whose form shows it.
  var reasonNotToTravel: String? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.reasonNotToTravel }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.reasonNotToTravel }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.reasonNotToTravel }
    if let tuple = self.as(TupleTypeSyntax.self) {
      if tuple.elements.count == 1, let only = tuple.elements.first { return only.type.reasonNotToTravel }
      return "it is a tuple, which conforms to nothing; make it a struct"
    }
    if self.is(FunctionTypeSyntax.self) { return "it is a function" }
    if self.is(SomeOrAnyTypeSyntax.self) { return "its type is known at run time only" }
    if self.is(MetatypeTypeSyntax.self) { return "it is a type" }
    if ["Any", "AnyObject", "AnyHashable"].contains(trimmedDescription) { return "its type is known at run time only" }
    return nil
  }
}

extension ExprSyntax {
  /// The reason why no value of the expression can be replicated, if its form shows it.
  fileprivate var reasonNotToTravel: String? {
    if self.is(ClosureExprSyntax.self) { return "it is a function" }
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count != 1 {
      return "it is a tuple, which conforms to nothing; make it a struct"
    }
    return nil
  }
}

extension VariableDeclSyntax {
  /// The names in `var id: Int { number }` or `var id: Contact.ID { self.contact.id }`; nil for any other variable.
  fileprivate var pathOfID: [String]? {
    guard bindings.count == 1, let binding = bindings.first, !modifiers.has(.static),
      binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "id",
      let getter = binding.accessorBlock?.accessors.getter, getter.count == 1, let statement = getter.first?.item
    else { return nil }
    let returned = statement.as(ReturnStmtSyntax.self)?.expression
    guard var expression = returned ?? statement.as(ExprSyntax.self) else { return nil }
    var names: [String] = []
    while let member = expression.as(MemberAccessExprSyntax.self), let base = member.base {
      names.insert(member.declName.baseName.text, at: 0)
      expression = base
    }
    guard let first = expression.as(DeclReferenceExprSyntax.self) else { return nil }
    if first.baseName.tokenKind != .keyword(.self) { names.insert(first.baseName.text, at: 0) }
    return names
  }
}

extension AccessorBlockSyntax.Accessors {
  /// The statements of a getter.
  fileprivate var getter: CodeBlockItemListSyntax? {
    if case .getter(let statements) = self { return statements }
    guard case .accessors(let accessors) = self else { return nil }
    return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
  }
}
