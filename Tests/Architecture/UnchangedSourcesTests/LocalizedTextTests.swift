import ComposableArchitecture
import Foundation
import XCTest

final class LocalizedTextTests: XCTestCase {
  /// A bundle with the tables of one language.
  private func makeBundle() throws -> Bundle {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("texts-\(UUID().uuidString)")
    let language = folder.appendingPathComponent("en.lproj")
    try FileManager.default.createDirectory(at: language, withIntermediateDirectories: true)
    addTeardownBlock { try? FileManager.default.removeItem(at: folder) }
    let tables = ["Localizable": #""editor.title" = "Editor";"#, "Other": #""editor.title" = "Other editor";"#]
    for (name, content) in tables {
      try content.write(to: language.appendingPathComponent("\(name).strings"), atomically: true, encoding: .utf8)
    }
    return try XCTUnwrap(Bundle(path: folder.path))
  }

  func testATextIsFoundByItsKey() throws {
    let bundle = try makeBundle()
    XCTAssertEqual(TextState("editor.title", bundle: bundle), TextState("Editor"))
    let other = TextState("editor.title", tableName: "Other", bundle: bundle, comment: "A title")
    XCTAssertEqual(other, TextState("Other editor"))
  }

  func testAMissingTextIsItsKey() throws {
    XCTAssertEqual(TextState("editor.title", bundle: try makeBundle()).bold(), TextState("Editor").bold())
    XCTAssertEqual(TextState("no such key", bundle: try makeBundle()), TextState("no such key"))
    XCTAssertEqual(TextState("editor.title", comment: "A title"), TextState("editor.title"))
    XCTAssertEqual(TextState("\(3) items", bundle: .main), TextState("3 items"))
  }
}
