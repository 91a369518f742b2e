/// The modules of `Sources`, their layers and their imports.
struct Modules {
  /// The layer of each module, from the table in `docs/ARCHITECTURE.md`, whose rows begin with the layer's number.
  let layers: [String: Int]
  /// The modules, each with its folder: those directly in `Sources`, and those in its groups.
  let folders: [String: String]
  var names: Set<String> { Set(folders.keys) }
  /// The imports of each module, including modules outside of `Sources`.
  let imports: [String: Set<String>]
  /// Those of the imports whose declarations the module's own public ones use, or that it re-exports.
  let publicImports: [String: Set<String>]

  init() throws { self = try Self.found.get() }

  // Each test uses them; to read all sources takes seconds.
  private static let found = Result { try Modules(repository: ()) }

  private init(repository: Void) throws {
    layers = try Self.layers(in: Repository.lines("docs/ARCHITECTURE.md"))
    let groups = Set(try Manifest().targets.compactMap(\.group))
    var folders: [String: String] = [:]
    for entry in try Repository.folders(in: "Sources") {
      if groups.contains(entry) {
        for name in try Repository.folders(in: "Sources/\(entry)") { folders[name] = "Sources/\(entry)/\(name)" }
      } else {
        folders[entry] = "Sources/\(entry)"
      }
    }
    self.folders = folders
    var imports: [String: Set<String>] = [:]
    var publicImports: [String: Set<String>] = [:]
    for (name, folder) in folders {
      for file in Repository.files(below: folder, endingIn: ".swift") {
        let lines = try Repository.lines(file)
        imports[name, default: []].formUnion(Self.imports(of: lines))
        let publicLines = lines.filter { $0.contains("public import ") || $0.contains("@_exported ") }
        publicImports[name, default: []].formUnion(Self.imports(of: publicLines))
      }
    }
    self.imports = imports
    self.publicImports = publicImports
  }

  /// Returns the imports of a module within `Sources`.
  func ownImports(of name: String) -> Set<String> { (imports[name] ?? []).intersection(names) }

  /// Returns a module and all modules in `Sources` that it reaches.
  func closure(of name: String) -> Set<String> {
    var (reached, pending): (Set<String>, [String]) = ([name], [name])
    while let next = pending.popLast() {
      for found in ownImports(of: next) where reached.insert(found).inserted { pending.append(found) }
    }
    return reached
  }

  static func layers(in lines: [Substring]) -> [String: Int] {
    var layers: [String: Int] = [:]
    for line in lines where line.hasPrefix("| ") {
      guard let layer = line.dropFirst(2).first?.wholeNumberValue else { continue }
      let names = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }
      for (_, name) in names { layers[String(name)] = layer }
    }
    return layers
  }

  /// Returns the modules that a source file imports, without the imports in texts of several lines.
  static func imports(of lines: [Substring]) -> Set<String> {
    let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
    var (found, isText): (Set<String>, Bool) = ([], false)
    for line in lines {
      if line.contains("\"\"\"") { isText.toggle() }
      guard !isText, line.contains("import ") else { continue }
      var words = line.split(separator: " ")
      while let first = words.first, first.hasPrefix("@") || accessLevels.contains(first) { words.removeFirst() }
      guard words.first == "import", words.count > 1 else { continue }
      let path = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
      found.insert(String(path.prefix { $0 != "." }))
    }
    return found
  }

  private static let accessLevels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
}
