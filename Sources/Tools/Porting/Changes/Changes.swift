import MacroExpansions
import SwiftSyntax

/// The changes to the files of a package, and their numbers.
struct Changes {
  /// The kinds of changes, in the order of the summary.
  enum Kind: String, CaseIterable {
    case mark, `import`, access, sendable, initializer, dependency

    /// The noun for the summary.
    func text(_ count: Int) -> String {
      let noun =
        switch self {
        case .mark: count == 1 ? "mark" : "marks"
        case .import: count == 1 ? "import" : "imports"
        case .access: "'public'"
        case .sendable: "'Sendable'"
        case .initializer: count == 1 ? "initializer" : "initializers"
        case .dependency: count == 1 ? "dependency" : "dependencies"
        }
      return "\(count) \(noun)"
    }
  }

  let catalog: Catalog
  let package: PackageModel
  /// The types that other modules must see.
  let published: Set<ObjectIdentifier>
  /// The files with types of the rest of Foundation.
  let filesOfFoundation: Set<Int>
  private(set) var edits: [Int: Edits] = [:]
  private(set) var manifest = Edits()
  var counts: [Kind: Int] = [:]
  private(set) var findings: [Finding] = []
  /// The files with `@Replicated`, which need the import.
  var markedFiles: Set<Int> = []

  init(catalog: Catalog, package: PackageModel, published: Set<ObjectIdentifier>, filesOfFoundation: Set<Int>) {
    (self.catalog, self.package, self.published) = (catalog, package, published)
    self.filesOfFoundation = filesOfFoundation
  }

  func source(_ file: Int) -> SourceFile { catalog.files[file].source }

  func isPublished(_ entry: TypeEntry) -> Bool { published.contains(ObjectIdentifier(entry)) }

  mutating func insert(_ text: String, at offset: Int, replacing spaces: Int = 0, in file: Int, _ kind: Kind) {
    let newline = source(file).newline
    let text = newline == "\n" ? text : text.replacing("\n", with: newline)
    edits[file, default: Edits()].insert(text, at: offset, replacing: spaces)
    counts[kind, default: 0] += 1
  }

  mutating func insertInManifest(_ text: String, at offset: Int, replacing spaces: Int = 0) {
    manifest.insert(text, at: offset, replacing: spaces)
  }

  mutating func leave(_ message: String, at node: some SyntaxProtocol, in file: Int) {
    let finding = Finding(.left, source(file), at: node, message)
    if !findings.contains(finding) { findings.append(finding) }
  }

  mutating func leaveInManifest(_ message: String, at node: (any SyntaxProtocol)? = nil) {
    guard let manifest = package.manifest else { return }
    findings.append(node.map { Finding(.left, manifest, at: $0, message) } ?? Finding(.left, manifest.path, message))
  }

  /// True if all types of the package that are named in a piece of source are or become public.
  func canBePublic(_ nodes: [Syntax?], in scope: [String], _ target: Int) -> Bool {
    let finder = NameFinder(viewMode: .sourceAccurate)
    for node in nodes.compactMap(\.self) { finder.walk(node) }
    return finder.names.allSatisfy { names in
      switch catalog.find(names, from: scope, in: target) {
      case .type(let entry)?, .generated(of: let entry, _)?, .associated(let entry)?:
        return isPublished(entry) || isPublic(entry)
      case nil: return true
      }
    }
  }

  /// True if a type is public already, with the types around it.
  func isPublic(_ entry: TypeEntry) -> Bool {
    let modifiers = entry.alias.map { [$0.node.modifiers] } ?? entry.declarations.map(\.node.modifiers)
    guard modifiers.allSatisfy({ $0.has(.public) || $0.has(.open) }) else { return false }
    return catalog.enclosing(entry).map(isPublic) ?? true
  }
}

/// Finds the types that a signature names, by their names.
private final class NameFinder: SyntaxVisitor {
  private(set) var names: [[String]] = []

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    if let found = TypeSyntax(node).names { names.append(found) }
    return .visitChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    names.append([node.name.text])
    return .visitChildren
  }
}
