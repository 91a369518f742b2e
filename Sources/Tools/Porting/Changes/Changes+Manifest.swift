import SwiftSyntax

extension Changes {
  /// Lets the targets with marks depend on the product that has the mark.
  mutating func addDependencies() {
    let targets = Set(markedFiles.map { catalog.files[$0].target }).sorted()
    guard let manifest = package.manifest, !manifest.hasErrors else { return }
    if !targets.isEmpty { leavePackageDependency(in: manifest) }
    for target in targets {
      let (name, product) = (package.targets[target].name, product(of: target))
      if !package.targets[target].products.contains(product) { addDependency(on: product, to: name, in: manifest) }
    }
  }

  /// Only the user knows where StoreHub is.
  private mutating func leavePackageDependency(in manifest: SourceFile) {
    let finder = PackageDependencyFinder(viewMode: .sourceAccurate)
    finder.walk(manifest.tree)
    guard let list = finder.dependencies, !list.elements.contains(where: { $0.trimmedDescription.contains("StoreHub") })
    else { return }
    let original = list.elements.first { $0.trimmedDescription.contains("swift-composable-architecture") }
    leaveInManifest(
      """
      the package must depend on StoreHub\(original == nil ? "" : " in place of this package"): \
      '.package(name: "StoreHub", path: "…")'
      """, at: original.map { $0 as any SyntaxProtocol } ?? list)
  }

  private mutating func addDependency(on name: String, to target: String, in manifest: SourceFile) {
    let finder = TargetFinder(target)
    finder.walk(manifest.tree)
    let product = ".product(name: \"\(name)\", package: \"StoreHub\")"
    guard let list = finder.dependencies else {
      return leaveInManifest("the target '\(target)' needs '\(product)' among its dependencies")
    }
    if list.elements.contains(where: { $0.trimmedDescription.contains("swift-composable-architecture") }) {
      leaveInManifest(
        "the target '\(target)' depends on another package's ComposableArchitecture: take StoreHub's product of that name",
        at: list)
    }
    counts[.dependency, default: 0] += 1
    guard let last = list.elements.last else { return insertInManifest(product, at: list.leftSquare.end) }
    let comma = last.trailingComma == nil ? "," : ""
    if let indentation = manifest.indentation(at: last.start) {
      // As the last element is written, on a line of its own.
      insertInManifest("\(comma)\(manifest.newline)\(indentation)\(product)\(comma.isEmpty ? "," : "")", at: last.end)
    } else if manifest.lengthOfLine(at: last.end) + product.count > 118 {
      // One argument on each line, and one element.
      let outer = "\(manifest.newline)\(manifest.indentationOfLine(at: finder.arguments.first?.start ?? list.start))"
      let isBroken = finder.arguments.first.map { manifest.indentation(at: $0.start) != nil } ?? true
      let inner = isBroken ? outer : "\(outer)  "
      breakLines(before: finder.arguments.map(\.start), by: inner, in: manifest)
      breakLines(before: list.elements.map(\.start), by: "\(inner)  ", in: manifest)
      insertInManifest("\(comma)\(inner)  \(product),\(inner)", at: last.end)
    } else {
      insertInManifest(comma.isEmpty ? " \(product)," : ", \(product)", at: last.end)
    }
  }

  /// Breaks a line of the manifest before the positions that are not the first on their lines.
  private mutating func breakLines(before offsets: [Int], by text: String, in manifest: SourceFile) {
    for offset in offsets where manifest.indentation(at: offset) == nil {
      let spaces = manifest.spaces(before: offset)
      insertInManifest(text, at: offset - spaces, replacing: spaces)
    }
  }
}

/// Finds the dependencies of the package in a manifest.
private final class PackageDependencyFinder: SyntaxVisitor {
  private(set) var dependencies: ArrayExprSyntax?

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.calledExpression.trimmedDescription == "Package" else { return .visitChildren }
    dependencies = node.arguments.first { $0.label?.text == "dependencies" }?.expression.as(ArrayExprSyntax.self)
    return .skipChildren
  }
}

/// Finds the dependencies of a target in a manifest.
private final class TargetFinder: SyntaxVisitor {
  private let target: String
  private(set) var dependencies: ArrayExprSyntax?
  /// The arguments of the target.
  private(set) var arguments: [LabeledExprSyntax] = []

  init(_ target: String) {
    self.target = target
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let function = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    guard function == "target" || function == "executableTarget" else { return .visitChildren }
    func argument(_ label: String) -> ExprSyntax? { node.arguments.first { $0.label?.text == label }?.expression }
    let name = argument("name")?.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    if name == target {
      dependencies = argument("dependencies")?.as(ArrayExprSyntax.self)
      arguments = Array(node.arguments)
    }
    return .visitChildren
  }
}
