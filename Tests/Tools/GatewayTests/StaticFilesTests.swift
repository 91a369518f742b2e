import Foundation
import Testing
import WebSocketServer

@Suite struct StaticFilesTests {
  private func withFiles(_ body: (StaticFiles, String) throws -> Void) throws {
    let manager = FileManager.default
    let base = NSTemporaryDirectory() + "files-\(UUID().uuidString.prefix(8))"
    defer { try? manager.removeItem(atPath: base) }
    try manager.createDirectory(atPath: base + "/page/sub", withIntermediateDirectories: true)
    for name in ["page/index.html", "page/app.js", "page/.hidden", "page/sub/a.png", "secret.txt", "page2.txt"] {
      try name.write(toFile: base + "/" + name, atomically: true, encoding: .utf8)
    }
    try manager.createSymbolicLink(atPath: base + "/page/out.txt", withDestinationPath: base + "/secret.txt")
    try manager.createSymbolicLink(atPath: base + "/page/in.js", withDestinationPath: "app.js")
    try manager.createSymbolicLink(atPath: base + "/page/up", withDestinationPath: "..")
    try body(try #require(StaticFiles(root: base + "/page")), base)
  }

  @Test func filesAndIndexesAreFoundWithTheirTypes() throws {
    try withFiles { files, _ in
      #expect(files.file(for: "/")?.path == files.root + "/index.html")
      #expect(files.file(for: "/")?.type == "text/html; charset=utf-8")
      #expect(files.file(for: "/app.js")?.type == "text/javascript; charset=utf-8")
      #expect(files.file(for: "//sub//a.png")?.type == "image/png")
      #expect(files.file(for: "/in.js")?.path == files.root + "/app.js", "a link within the directory")
    }
  }

  @Test(arguments: [
    "", "index.html", "/..", "/../secret.txt", "/sub/../../secret.txt", "/./app.js", "/.hidden", "/out.txt",
    "/up/secret.txt", "/../page2.txt", "/up/page/app.js/../../../secret.txt", "/sub", "/nothing", "/app.js/",
    "/app.js/x", "/sub\\..\\..\\secret.txt", "/app.js\u{0}.png", "/\(String(repeating: "a", count: 2000))",
  ])
  func noPathLeadsElsewhere(path: String) throws {
    try withFiles { files, _ in
      // A path that ends with a slash is that of the file without it, or of nothing.
      let found = files.file(for: path)
      #expect(found == nil || path == "/app.js/" && found?.path == files.root + "/app.js")
    }
  }

  @Test func aRootThatIsNoDirectoryIsRefused() throws {
    try withFiles { files, base in
      #expect(StaticFiles(root: base + "/secret.txt") == nil)
      #expect(StaticFiles(root: base + "/nothing") == nil)
      #expect(StaticFiles(root: base + "/page/")?.root == files.root)
    }
  }
}
