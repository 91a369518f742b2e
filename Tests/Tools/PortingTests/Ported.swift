import Testing

@testable import Porting

/// A package after the tool.
struct Ported {
  let port: Port
  /// The new texts of the files that change, by their paths.
  let texts: [String: String]
  let package: PackageModel

  /// Ports a package, and expects that doing it again changes nothing.
  init(_ package: PackageModel, beginningWith names: [String] = []) throws {
    port = try Port(package, beginningWith: names)
    texts = Dictionary(uniqueKeysWithValues: port.changes.map { ($0.file.path, $0.text) })
    self.package = package
    var changed = package
    for (target, index) in package.targets.indices.flatMap({ target in
      package.targets[target].files.indices.map { (target, $0) }
    }) {
      let file = package.targets[target].files[index]
      let new = SourceFile(path: file.path, text: texts[file.path] ?? file.text)
      #expect(file.hasErrors || !new.hasErrors, "\(new.text)")
      changed.targets[target].files[index] = new
    }
    if let manifest = package.manifest {
      changed.manifest = SourceFile(path: manifest.path, text: texts[manifest.path] ?? manifest.text)
      // What a manifest says is read by SwiftPM, and not from its text.
      if texts[manifest.path] != nil { changed.targets[0].products.insert("ReplicatedArchitecture") }
    }
    let again = try Port(changed, beginningWith: names).changes
    #expect(
      again.isEmpty, "\(again.map { Difference(from: $0.file.text, to: $0.text).text(oldName: "", newName: "") })")
  }

  /// The text of the only file.
  var text: String {
    let file = package.targets[0].files[0]
    return texts[file.path] ?? file.text
  }

  var findings: [Finding] { port.findings }
}

func ported(
  _ source: String, kind: PackageModel.Kind = .library, beginningWith names: [String] = []
) throws -> Ported {
  try Ported(PackageModel(files: [("Feature.swift", source)], kind: kind), beginningWith: names)
}

func ported(_ files: [(String, String)]) throws -> Ported {
  try Ported(PackageModel(files: files))
}

extension PackageModel {
  /// A package with one target.
  init(files: [(String, String)], kind: Kind = .library) {
    self.init()
    var target = Target(name: "App", kind: kind)
    target.files = files.map { SourceFile(path: $0.0, text: $0.1) }
    targets = [target]
  }
}
