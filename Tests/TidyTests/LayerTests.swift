import Testing

/// The modules of `Sources` form layers: a module imports only from its own layer and those below, and declares it.
@Suite struct LayerTests {
  let modules: Modules
  let manifest: Manifest

  init() throws {
    modules = try Modules()
    manifest = try Manifest()
  }

  @Test func everyModuleStandsInTheTableOfArchitecture() {
    let listed = Set(modules.layers.keys)
    for name in modules.names.subtracting(listed) {
      Issue.record("Sources/\(name) is missing in the table of layers in docs/ARCHITECTURE.md")
    }
    for name in listed.subtracting(modules.names) {
      Issue.record("docs/ARCHITECTURE.md lists \(name), which is not in Sources")
    }
  }

  @Test func theMapOfArchitectureHasEachEntryOfSources() throws {
    let map = try Repository.lines("docs/ARCHITECTURE.md").drop { $0 != "## The map" }.prefix { $0 != "## Layers" }
    let rows = map.filter { $0.hasPrefix("| `") }
    let listed = rows.map { String($0.dropFirst(3).prefix { $0 != "`" && $0 != "/" }) }
    let entries = try Repository.folders(in: "Sources")
    #expect(listed.sorted() == entries)
  }

  @Test func importsPointDownward() {
    for (name, layer) in modules.layers {
      for imported in modules.ownImports(of: name) {
        guard let other = modules.layers[imported] else { continue }
        if other > layer { Issue.record("\(name) on layer \(layer) imports \(imported) from layer \(other)") }
      }
    }
  }

  @Test func importsFormNoCircle() {
    for name in modules.names {
      for imported in modules.ownImports(of: name) where modules.closure(of: imported).contains(name) {
        Issue.record("\(name) imports \(imported), which reaches \(name)")
      }
    }
  }

  @Test func noOneImportsAProgram() {
    let programs = Set(manifest.targets.filter { $0.kind == .executable }.map(\.name))
    for name in modules.names {
      for program in modules.ownImports(of: name).intersection(programs) {
        Issue.record("\(name) imports the program \(program)")
      }
    }
  }

  @Test func everyFolderIsThatOfATarget() {
    let folders = Set(manifest.targets.map(\.folder))
    for folder in modules.folders.values where !folders.contains(folder) {
      Issue.record("\(folder) is not the folder of a target in Package.swift")
    }
  }

  @Test func everyImportIsDeclared() throws {
    let names = Set(manifest.targets.map(\.name))
    for target in manifest.targets where target.kind != .system {
      let undeclared = names.subtracting(target.dependencies.map(\.name)).subtracting([target.name])
      for file in Repository.files(below: target.folder, endingIn: ".swift") {
        for imported in Modules.imports(of: try Repository.lines(file)).intersection(undeclared).sorted() {
          Issue.record("\(file) imports \(imported), which Package.swift does not declare for \(target.name)")
        }
      }
    }
  }

  /// One module wraps each of libuv, ncurses, SQLite and so on; the others use that module.
  @Test func eachSystemLibraryHasOneImporter() {
    for library in manifest.targets where library.kind == .system {
      let importers = modules.names.filter { modules.ownImports(of: $0).contains(library.name) }
      if importers.count > 1 { Issue.record("\(library.name) is imported by \(importers.sorted())") }
    }
  }

  @Test func importsAreFoundWhereverTheyAre() {
    let text: [Substring] = [
      "import Wire", "public import struct HubCore.Hub", "@_exported import Clocks", "#if DEBUG", "  import Journal",
      "#endif",
      "// an import is", "let program = \"\"\"", "  import Features", "  \"\"\"", "@testable import EventLoop",
    ]
    #expect(Modules.imports(of: text) == ["Clocks", "EventLoop", "HubCore", "Journal", "Wire"])
  }
}
