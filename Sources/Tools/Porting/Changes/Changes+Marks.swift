import MacroExpansions
import SwiftSyntax

extension Changes {
  /// Marks a type `@Replicated`, unless it is replicated already.
  mutating func mark(_ entry: TypeEntry) {
    if entry.has(attribute: "Replicated") { markedFiles.formUnion(entry.declarations.map(\.file)) }
    guard !entry.isReplicated else { return }
    for part in entry.declarations {
      markedFiles.insert(part.file)
      let node = part.node
      if let last = node.attributes.last {
        guard case .attribute(let attribute) = last else {
          leave(
            "'\(entry.name)' ends its attributes in an '#if': write '@Replicated' before it", at: node, in: part.file)
          continue
        }
        insert(" @Replicated", at: attribute.end, in: part.file, .mark)
      } else if let indentation = source(part.file).indentation(at: node.start) {
        insert("@Replicated\n\(indentation)", at: node.start, in: part.file, .mark)
      } else {
        insert("@Replicated ", at: node.start, in: part.file, .mark)
      }
    }
  }

  /// Adds `import ReplicatedArchitecture` to the files with marks.
  mutating func addImports() {
    for file in markedFiles.sorted() { addImport(of: product(of: catalog.files[file].target), to: file) }
  }

  /// The product with the mark and with the types of all fields in a target; the one with those of Foundation exports the
  /// other.
  func product(of target: Int) -> String {
    filesOfFoundation.contains { catalog.files[$0].target == target }
      ? "ReplicatedFoundation" : "ReplicatedArchitecture"
  }

  private mutating func addImport(of module: String, to file: Int) {
    let source = source(file)
    let imports = source.tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
    let names = imports.map { $0.path.map(\.name.text).joined(separator: ".") }
    let isThere = names.contains { ["ReplicatedArchitecture", "ReplicatedFoundation", "Wire"].contains($0) }
    guard filesOfFoundation.contains(file) ? !names.contains(module) : !isThere else { return }
    let isInternal = package.targets[catalog.files[file].target].importsAreInternal
    let line = "\(isInternal ? "public " : "")import \(module)"
    // In alphabetical order among the imports as they are.
    if let previous = Array(zip(imports, names)).last(where: { $0.1 < module })?.0 ?? imports.last,
      let end = source.endOfLine(after: previous.end)
    {
      insert("\n\(line)", at: end, in: file, .import)
    } else {
      insert("\(line)\n\n", at: source.startOfCode, in: file, .import)
    }
  }
}

extension SourceFile {
  /// The offset after a comment at the beginning of the file that an empty line separates from the code.
  fileprivate var startOfCode: Int {
    var (offset, end) = (0, 0)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isEmpty = line.allSatisfy(\.isWhitespace)
      guard isEmpty || line.hasPrefix("//") || line.hasPrefix("#!") else { break }
      offset += line.utf8.count + 1
      if isEmpty { end = offset }
    }
    return min(end, text.utf8.count)
  }
}
