import Testing

/// `public` is for what other packages can import.
@Suite struct AccessTests {
  @Test func onlyLibrariesHavePublicDeclarations() throws {
    let modules = try Modules()
    let manifest = try Manifest()
    // The libraries, and the modules that their public declarations use.
    var (visible, pending) = (manifest.libraries, Array(manifest.libraries))
    while let next = pending.popLast() {
      for found in modules.publicImports[next] ?? [] where visible.insert(found).inserted { pending.append(found) }
    }
    let macros = manifest.targets.filter { $0.kind == .macro }.map(\.name)
    for name in modules.names.subtracting(visible).subtracting(macros) {
      for file in Repository.files(below: modules.folders[name] ?? "Sources/\(name)", endingIn: ".swift") {
        for (index, line) in try Repository.lines(file).enumerated() where Self.isPublic(line) {
          Issue.record("\(file):\(index + 1) is public, but no library product contains \(name); use package")
        }
      }
    }
  }

  @Test(
    arguments: [
      ("public struct State {", true), ("  @inlinable public init() {}", true), ("public import Wire", true),
      ("  open class Base {", true), ("package struct State {", false), ("  /// A public name.", false),
      ("  case openWaiting", false), ("  let public = 1", false), ("", false),
    ] as [(Substring, Bool)])
  func publicLinesAreFound(line: Substring, isPublic: Bool) {
    #expect(Self.isPublic(line) == isPublic)
  }

  private static func isPublic(_ line: Substring) -> Bool {
    let first = line.split(separator: " ").first { !$0.hasPrefix("@") }
    return first == "public" || first == "open"
  }
}
