package import SwiftSyntax
import SwiftSyntaxMacros

/// A replicated field of a struct.
struct ReplicatedField {
  /// The location of the field's value, for reading it without observation and for setting it in an initialiser.
  enum Storage {
    case plain
    /// `@ObservableState` stores it under the name with an underscore.
    case tracked
    /// `@Presents` or `@PresentationState` stores it in a `PresentationState`.
    case presented
  }

  /// The name as in the source, including backticks.
  let name: String
  let key: UInt64
  /// The names that it had in earlier versions.
  let formerNames: [String]
  let type: TypeSyntax?
  let storage: Storage
  /// True if a value may contain others of the struct at any depth, so that its depth is counted: the state of a
  /// presented child, or a value that a property wrapper may keep on the heap.
  let mayWrap: Bool
  let isVar: Bool
  let hasDefault: Bool
  let isOptional: Bool
  /// The directive that directs diagnostics to the field's line.
  let location: String?
  /// The text of its documentation comment.
  let documentation: String?

  /// The statement that copies the field from `base` in an initialiser.
  var copy: String { Self.copy(name, isPlain: storage == .plain) }

  static func copy(_ name: String, isPlain: Bool) -> String {
    let place = isPlain ? name : storageName(of: name)
    return "self.\(place) = base.\(place)"
  }

  /// The expression for the field's value, of `self` or of another value.
  func value(of root: String = "self") -> String {
    switch storage {
    case .plain: "\(root).\(name)"
    case .tracked: "\(root).\(storageName(of: name))"
    case .presented: "\(root).\(storageName(of: name)).wrappedValue"
    }
  }

  /// The expression that reads the field's value.
  var read: String { "try Wire.Expansion.\(mayWrap ? "nested" : "value")(from: &decoder)" }

  /// The statement that sets the field in an initialiser.
  func initialisation(to value: String) -> String {
    switch storage {
    case .plain: "self.\(name) = \(value)"
    case .tracked: "self.\(storageName(of: name)) = \(value)"
    case .presented: "self.\(storageName(of: name)) = .init(wrappedValue: \(value))"
    }
  }
}

/// The replicated fields of a struct, in the order of their keys.
struct ReplicatedFields {
  var fields: [ReplicatedField] = []
  /// The statements that copy the other fields from `base`.
  var omitted: [String] = []
  /// True if there may be other fields, also constants and those within `#if`.
  var omits = false
  /// The names that lead to the struct's id: a field's own, or those in the getter of a computed `id`.
  var id: [String] = []

  /// Reads a declaration; returns nil, with diagnostics, if a part of it cannot be replicated.
  init?(of declaration: StructDeclSyntax, in context: some MacroExpansionContext) {
    var keys = ReplicatedKeys(of: declaration.memberBlock)
    var formerNames = FormerNames(ofEach: "field", present: Self.names(in: declaration))
    var isWhole = true
    let isObservable = declaration.attributes.hasAny(of: ["ObservableState"])
    for member in declaration.memberBlock.members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        let copies = Self.copies(in: conditional, isObservable: isObservable, isWhole: &isWhole, in: context)
        if !copies.isEmpty { omitted.append(copies) }
        omits = true
      }
      guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
      if variable.modifiers.has(.lazy) && !variable.attributes.isOmitted {
        context.complain(
          "A lazy field has no value until somebody asks; mark it '@Replicated(omit)' or make it a plain 'var'",
          at: variable, fixIt: variable.omitting)
        isWhole = false
      }
      guard variable.isStoredInstanceVariable else {
        if let path = variable.pathOfID { id = path }
        continue
      }
      if variable.attributes.isOmitted {
        isWhole = Self.checkOmitted(variable, in: context) && isWhole
        omitted += Self.copies(of: variable, isObservable: isObservable)
        omits = true
        continue
      }
      let found = variable.bindings.map {
        Self.field($0, of: variable, isObservable: isObservable && variable.isVar, &keys, &formerNames, in: context)
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

  /// The names of the stored fields.
  private static func names(in declaration: StructDeclSyntax) -> [String] {
    declaration.memberBlock.members.flatMap { member -> [String] in
      guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStoredInstanceVariable,
        !variable.attributes.isOmitted
      else { return [] }
      return variable.bindings.compactMap {
        $0.pattern.as(IdentifierPatternSyntax.self).map { plain($0.identifier.trimmedDescription) }
      }
    }
  }

  /// The statements that copy omitted fields from `base`.
  private static func copies(of variable: VariableDeclSyntax, isObservable: Bool) -> [String] {
    guard variable.isVar else { return [] }
    let kept = ["Shared", "SharedReader", "Presents", "PresentationState", "Dependency"]
    let isTracked = isObservable && !variable.attributes.hasAny(of: ["ObservationStateIgnored"])
    return variable.bindings.compactMap {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription
    }.map { ReplicatedField.copy($0, isPlain: !isTracked && !variable.attributes.hasAny(of: kept)) }
  }

  /// The statements that copy the omitted fields within an `#if` from `base`, in an `#if` of their own. Any other field
  /// there is refused.
  private static func copies(
    in conditional: IfConfigDeclSyntax, isObservable: Bool, isWhole: inout Bool, in context: some MacroExpansionContext
  ) -> String {
    var lines: [String] = []
    for clause in conditional.clauses {
      lines.append(clause.poundKeyword.text + (clause.condition.map { " \($0.trimmedDescription)" } ?? ""))
      guard case .decls(let members)? = clause.elements else { continue }
      for member in members {
        if let inner = member.decl.as(IfConfigDeclSyntax.self) {
          let copies = Self.copies(in: inner, isObservable: isObservable, isWhole: &isWhole, in: context)
          if !copies.isEmpty { lines.append(copies) }
        }
        guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
        if !variable.attributes.isOmitted, variable.isStoredInstanceVariable || variable.modifiers.has(.lazy) {
          context.complain(
            """
            A field within '#if' cannot be replicated: both ends must have the same fields; mark it '@Replicated(omit)' \
            and give it a default
            """, at: variable, fixIt: variable.omitting)
          isWhole = false
        } else if variable.isStoredInstanceVariable {
          isWhole = checkOmitted(variable, in: context) && isWhole
          lines += copies(of: variable, isObservable: isObservable)
        }
      }
    }
    return lines.count == conditional.clauses.count ? "" : (lines + ["#endif"]).joined(separator: "\n")
  }

  private static func field(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, isObservable: Bool,
    _ keys: inout ReplicatedKeys, _ formerNames: inout FormerNames, in context: some MacroExpansionContext
  ) -> ReplicatedField? {
    let type = variable.type(of: binding)
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription else {
      context.complain("A replicated field has one name: split the declaration", at: binding.pattern)
      return nil
    }
    guard let key = keys.key(of: name, in: variable, at: binding, in: context) else { return nil }
    let isOnly = variable.bindings.count == 1
    guard let formerNames = formerNames.names(of: plain(name), in: variable, isOnly: isOnly, in: context) else {
      return nil
    }
    if let wrapper = ["Shared", "SharedReader", "Dependency"].first(where: { variable.attributes.hasAny(of: [$0]) }) {
      complain(ofValueElsewhere: name, in: wrapper, variable, at: binding, in: context)
      return nil
    }
    let isOptional = type?.isOptional ?? false
    let hasInitialiser = binding.initializer != nil
    if !variable.isVar && hasInitialiser {
      context.complain(
        """
        'let \(name)' has its value already, so none can be read into it; make it a 'var', or mark it '@Replicated(omit)'
        """,
        at: binding, fixIt: variable.variable)
      return nil
    }
    if type == nil && !hasInitialiser {
      context.complain("'\(name)' needs a type or an initial value to be replicated", at: binding)
      return nil
    }
    if let reason = type?.reasonNotToTravel ?? binding.initializer?.value.reasonNotToTravel {
      context.complain(
        "'\(name)' cannot be replicated: \(reason). Or mark it '@Replicated(omit)' and give it a default", at: binding,
        fixIt: variable.omitting)
      return nil
    }
    let storage: ReplicatedField.Storage
    if variable.attributes.hasAny(of: ["Presents", "PresentationState"]) {
      storage = .presented
    } else if isObservable && !variable.attributes.hasAny(of: ObservableStateMacro.untracked) {
      storage = .tracked
    } else {
      storage = .plain
    }
    return ReplicatedField(
      name: name, key: key, formerNames: formerNames, type: type, storage: storage,
      mayWrap: variable.attributes.mayWrap, isVar: variable.isVar,
      hasDefault: hasInitialiser || (variable.isVar && isOptional), isOptional: isOptional,
      location: context.lineDirective(of: binding), documentation: variable.leadingTrivia.documentation)
  }

  /// Reports a field whose property wrapper keeps the value outside the state.
  private static func complain(
    ofValueElsewhere name: String, in wrapper: String, _ variable: VariableDeclSyntax, at binding: PatternBindingSyntax,
    in context: some MacroExpansionContext
  ) {
    guard wrapper != "Dependency" else {
      context.complain(
        "'\(name)' cannot be replicated: a dependency is no part of the state; mark it '@Replicated(omit)'",
        at: binding,
        fixIt: variable.omitting)
      return
    }
    let plain = variable.with(\.attributes, variable.attributes.without(wrapper))
    context.complain(
      """
      '\(name)' cannot be replicated: '@\(wrapper)' keeps its value in this process or in a file, outside the hub's state \
      and journal. To share it with all clients, make it a plain 'var' with a default; mark it '@Replicated(omit)' only \
      if each process is to have a value of its own
      """, at: binding, fixIt: ("Remove '@\(wrapper)'", Syntax(variable), Syntax(plain)))
  }

  /// Refuses an omitted field without a default. Wrappers with arguments may have one.
  private static func checkOmitted(
    _ variable: VariableDeclSyntax, in context: some MacroExpansionContext
  ) -> Bool {
    let wrappers = ["Shared", "SharedReader", "Dependency"].compactMap { variable.attributes.attribute(named: $0) }
    let hasKey = wrappers.contains { $0.arguments != nil }
    for binding in variable.bindings where binding.initializer == nil && !hasKey {
      if variable.isVar, wrappers.isEmpty, binding.typeAnnotation?.type.isOptional ?? false { continue }
      context.complain(
        """
        '\(binding.pattern.trimmedDescription)' is omitted, so it needs a default for values that were read, such as \
        '= …' here
        """, at: binding, fixIt: binding.givingDefault(of: variable.type(of: binding)))
      return false
    }
    return true
  }
}

extension AttributeListSyntax {
  /// True if one of them may be a property wrapper, or is `@Presents`.
  fileprivate var mayWrap: Bool {
    let others = ["Replicated", "ReplicatedKey", "ObservationStateIgnored", "ObservationStateTracked", "MainActor"]
    return contains {
      guard case .attribute(let attribute) = $0 else { return false }
      let name = attribute.attributeName.trimmedDescription.split(separator: ".").last ?? ""
      // The names of the compiler's own attributes are in lower case.
      return name.first?.isUppercase ?? false && !others.contains(String(name))
    }
  }
}

extension TypeSyntax {
  /// True if it is written as an optional.
  package var isOptional: Bool {
    if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
    let name = self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
    return name?.text == "Optional"
  }

  /// The reason why no value of the type can be replicated, for types whose form shows it.
  package var reasonNotToTravel: String? {
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
