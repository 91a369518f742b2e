/// The targets of `Package.swift`, read from its text: evaluating the manifest would need SwiftPM's lock.
struct Manifest {
  struct Target {
    var kind: String
    var name: String
    var dependencies: Set<String>
  }

  let targets: [String: Target]
  /// The folders that group modules in `Sources`, with the names of the modules in each.
  let groups: [String: Set<String>]
  /// The targets of the library products.
  let libraries: Set<String>

  init() throws {
    var targets: [String: Target] = [:]
    let text = try Repository.text("Package.swift")
    for kind in ["target", "executableTarget", "macro", "systemLibrary", "testTarget"] {
      for piece in text.split(separator: ".\(kind)(").dropFirst() where text.contains(".\(kind)(") {
        let call = Self.arguments(piece)
        guard let name = Self.strings(after: "name:", in: call, closedBy: ",").first else { continue }
        let dependencies = Self.strings(after: "dependencies: [", in: call, closedBy: "]")
        targets[name] = Target(kind: kind, name: name, dependencies: Set(dependencies))
      }
    }
    self.targets = targets
    groups = Self.groups(in: text)
    libraries = text.split(separator: ".library(").dropFirst().reduce(into: []) {
      $0.formUnion(Self.strings(after: "targets: [", in: Self.arguments($1), closedBy: "]"))
    }
  }

  /// Returns the folder of a module of `Sources`.
  func folder(of module: String) -> String {
    groups.first { $0.value.contains(module) }.map { "Sources/\($0.key)/\(module)" } ?? "Sources/\(module)"
  }

  /// Parses the dictionary `groups`, whose values are arrays of literals.
  private static func groups(in text: String) -> [String: Set<String>] {
    guard let start = text.firstRange(of: "let groups = [")?.upperBound,
      let end = text[start...].firstRange(of: "\n]")?.lowerBound
    else { return [:] }
    return text[start..<end].split(separator: "]").reduce(into: [:]) { groups, entry in
      let names = literals(in: entry)
      if let group = names.first { groups[group] = Set(names.dropFirst()) }
    }
  }

  /// Returns the text up to the parenthesis that closes a call.
  private static func arguments(_ text: Substring) -> Substring {
    var depth = 1
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return text
  }

  private static func strings(after label: String, in call: Substring, closedBy end: Character) -> [String] {
    guard let start = call.firstRange(of: label)?.upperBound else { return [] }
    let rest = call[start...]
    let list = rest[..<(rest.firstIndex(of: end) ?? rest.endIndex)]
    return literals(in: list)
  }

  private static func literals(in text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset.isMultiple(of: 2) ? nil : String($0.element) }
  }
}
