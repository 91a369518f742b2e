/// What is to be done so that the features of a package run in a hub.
///
/// The source is changed only by insertions, so that its form and its comments stay. What has been done already is not
/// done again.
package struct Port {
  /// A file with its new text.
  package struct Change {
    package let file: SourceFile
    package let text: String
  }

  /// The reason why there is nothing to be done.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case noFeatures
    case noType(named: String)

    package var description: String {
      switch self {
      case .noFeatures: "the package has no type with '@Reducer': name the types of its model with --begin"
      case .noType(let name): "the package has no type '\(name)'"
      }
    }
  }

  /// The files that change.
  package let changes: [Change]
  /// What is left to a person, in the order of files and lines, at the lines of the source as it was read.
  package let findings: [Finding]
  /// The same at the lines of the changed source.
  package let findingsAfterwards: [Finding]
  private let counts: [Changes.Kind: Int]

  /// Plans the changes.
  ///
  /// - Parameters:
  ///   - package: The package as it is.
  ///   - names: The features, or the types of a model, with which to begin; empty for all features.
  package init(_ package: PackageModel, beginningWith names: [String] = []) throws(Failure) {
    let catalog = Catalog(package)
    var reach = Reach(catalog: catalog)
    for entry in try Self.roots(names, in: catalog) { reach.add(entry) }
    reach.finish()

    let wanted = reach.reducers + reach.replicated + reach.aliases
    let published = Self.published(wanted, catalog, package)
    var changes = Changes(
      catalog: catalog, package: package, published: Set(published.map(ObjectIdentifier.init)),
      filesOfFoundation: reach.filesOfFoundation)
    let ported = published.filter { entry in wanted.contains { $0 === entry } }
    // Before the marks, which stand after the arguments of '@Reducer'.
    for entry in ported where !reach.notSendable.contains(ObjectIdentifier(entry)) { changes.makeSendable(entry) }
    for entry in reach.replicated { changes.mark(entry) }
    for entry in reach.reducers where entry.isCaseReducer { changes.mark(entry) }
    changes.addImports()
    changes.addDependencies()
    for entry in published { changes.publish(entry) }
    for entry in ported { changes.addInitializer(to: entry) }

    var changed = catalog.files.indices.compactMap { index -> Change? in
      guard let edits = changes.edits[index] else { return nil }
      let file = catalog.files[index].source
      return Change(file: file, text: edits.applied(to: file.text))
    }
    if let manifest = package.manifest, !changes.manifest.isEmpty {
      changed.insert(Change(file: manifest, text: changes.manifest.applied(to: manifest.text)), at: 0)
    }
    self.changes = changed
    counts = changes.counts
    findings =
      (package.findings + Self.unread(package) + reach.findings + changes.findings
      + Self.inPrograms(reach, package)).sorted { ($0.path, $0.line ?? 0) < ($1.path, $1.line ?? 0) }
    var edits = Dictionary(uniqueKeysWithValues: changes.edits.map { (catalog.files[$0].source.path, $1) })
    edits[package.manifest?.path ?? ""] = changes.manifest
    findingsAfterwards = findings.map { finding in edits[finding.path].map { finding.moved(by: $0) } ?? finding }
  }

  /// The numbers of changes: `9 marks, 2 imports`.
  package var summary: String {
    let parts = Changes.Kind.allCases.compactMap { kind in
      counts[kind].map(kind.text)
    }
    let left = findings.count { $0.kind == .left }
    let notes = findings.count - left
    let files = "\(changes.count) file\(changes.count == 1 ? "" : "s")"
    return (changes.isEmpty ? "nothing to change" : "\(files): \(parts.joined(separator: ", "))")
      + "; \(left) left, \(notes) note\(notes == 1 ? "" : "s")"
  }

  private static func roots(_ names: [String], in catalog: Catalog) throws(Failure) -> [TypeEntry] {
    guard !names.isEmpty else {
      let features = catalog.entries.filter(\.isReducer)
      guard !features.isEmpty else { throw .noFeatures }
      return features
    }
    var roots: [TypeEntry] = []
    for name in names {
      let found = catalog.entries.filter { $0.name == name || $0.name.hasSuffix(".\(name)") }
      guard !found.isEmpty else { throw .noType(named: name) }
      roots += found
    }
    return roots
  }

  /// The types that must be public, with those around them: what a library shares with the hub's program.
  private static func published(
    _ wanted: [TypeEntry], _ catalog: Catalog, _ package: PackageModel
  ) -> [TypeEntry] {
    var (published, known): ([TypeEntry], Set<ObjectIdentifier>) = ([], [])
    for entry in wanted where package.targets[entry.target].kind == .library {
      var current: TypeEntry? = entry
      while let next = current, known.insert(ObjectIdentifier(next)).inserted {
        published.append(next)
        current = catalog.enclosing(next)
      }
    }
    return published
  }

  private static func unread(_ package: PackageModel) -> [Finding] {
    (package.targets.flatMap(\.files) + [package.manifest].compactMap(\.self)).filter(\.hasErrors).map {
      Finding(.left, $0.path, "the file has syntax errors, so that it was not read")
    }
  }

  private static func inPrograms(_ reach: Reach, _ package: PackageModel) -> [Finding] {
    let targets = Set(reach.reducers.map(\.target)).filter { package.targets[$0].kind == .executable }
    return targets.sorted().map { target in
      let name = package.targets[target].name
      return Finding(
        .left, package.manifest?.path ?? "Package.swift",
        "the features of '\(name)' are in a program, which the hub's program cannot import: move them to a library target"
      )
    }
  }
}
