import SwiftSyntax
import SwiftSyntaxMacros

/// The names that fields or cases had, from `@Replicated(was: "old", "older")`.
struct FormerNames {
  /// What has the names, such as "field", for diagnostics.
  private let kind: String
  /// The present names of all fields or cases.
  private let present: Set<String>
  /// The field or case that has a former name.
  private var owners: [String: String] = [:]

  init(ofEach kind: String, present: [String]) { (self.kind, self.present) = (kind, Set(present)) }

  /// The former names of a field or case; nil, with a diagnostic, if one of them cannot be its former name.
  ///
  /// - Parameters:
  ///   - name: The present name.
  ///   - declaration: Its declaration.
  ///   - isOnly: False if the declaration declares others as well.
  mutating func names(
    of name: String, in declaration: some WithAttributesSyntax, isOnly: Bool, in context: some MacroExpansionContext
  ) -> [String]? {
    guard let (attribute, arguments) = declaration.attributes.formerNames else { return [] }
    guard isOnly else {
      context.complain("'@Replicated(was:)' belongs to one \(kind): split the declaration", at: attribute)
      return nil
    }
    var names: [String] = []
    for argument in arguments {
      guard let former = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue, !former.isEmpty
      else {
        context.complain("A former name is a text in quotes: '@Replicated(was: \"oldName\")'", at: argument)
        return nil
      }
      if present.contains(former) {
        let other = former == name ? "the name that it has" : "the name of another \(kind)"
        context.complain("'\(name)' cannot have been '\(former)', which is \(other) now", at: argument)
        return nil
      }
      if let owner = owners[former] {
        let problem =
          owner == name ? "is named twice" : "is a former name of '\(owner)' already; it belongs to one \(kind)"
        context.complain("'\(former)' \(problem)", at: argument)
        return nil
      }
      owners[former] = name
      names.append(former)
    }
    return names
  }
}

extension AttributeListSyntax {
  /// The attribute `@Replicated(was: …)` and its arguments.
  fileprivate var formerNames: (AttributeSyntax, LabeledExprListSyntax)? {
    for case .attribute(let attribute) in self {
      guard attribute.attributeName.trimmedDescription.split(separator: ".").last == "Replicated",
        case .argumentList(let arguments)? = attribute.arguments, arguments.first?.label?.text == "was"
      else { continue }
      return (attribute, arguments)
    }
    return nil
  }
}

extension [String] {
  /// The statement that declares former names in `schema(in:)`, for the fields or cases in a variable; nil without any.
  func declaration(in variable: String, key: UInt64) -> String? {
    guard !isEmpty else { return nil }
    return "\(variable).was([\(map(\.literal).joined(separator: ", "))], key: \(key))"
  }
}
