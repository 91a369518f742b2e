import ComposableArchitecture
import IdentifiedCollections
import JSONParser
import JSONText
import TestSupport
import Testing
import Wire

@testable import StorectlCommands

// The types of docs/SCHEMA.md.

/// A shelf of books.
@Replicated private struct Shelf: Equatable {
  var books: IdentifiedArrayOf<Book> = []
  /// The name of who has the key.
  var keeper: String?
}

@Replicated private struct Book: Equatable, Identifiable {
  var id: Int
  /// The title on the cover.
  ///
  /// In the language of the book.
  var title: String
}

@Replicated private enum ShelfAction: Equatable {
  /// A book was brought.
  case returned(Book, by: String)
  case closed
}

@Suite struct SchemaTextTests {
  private let text = SchemaText(
    schema: Schema(state: Shelf.self, action: ShelfAction.self),
    documentation: SchemaDocumentation(state: Shelf.self, action: ShelfAction.self), palette: Palette(isOn: false))

  /// Programs read it: a difference is a new format.
  @Test func theJSONIsTheOneOfThePage() throws {
    let lines = RepositoryFiles.lines("docs/SCHEMA.md")
    let example = lines.drop { $0 != "```json" }.dropFirst().prefix { $0 != "```" }
    let expected = try JSONValue(parsing: example.joined(separator: "\n"))
    #expect(text.json == expected, "it is now: \(text.json)")
  }

  /// `storectl generate --schema` takes it.
  @Test func theJSONIsReadAgain() throws {
    let read = try #require(DocumentedSchema(json: "\(text.json)"))
    #expect(read.schema == text.schema && read.documentation == text.documentation)
    // Another fingerprint, another format, or a type that is not there.
    for (old, new) in [
      ("\"fingerprint\":\"3", "\"fingerprint\":\"4"), ("\"format\":1", "\"format\":2"), ("\"form\":1", "\"form\":9"),
    ] {
      #expect(DocumentedSchema(json: "\(text.json)".replacing(old, with: new)) == nil, "\(new)")
    }
    #expect(DocumentedSchema(json: "[]") == nil)
  }

  @Test func theTextHasTheComments() {
    #expect(
      text.lines(text.schema.definitions.indices) == [
        "/// A shelf of books.", "struct Shelf", "   0 books: IdentifiedArray<Int, Book>",
        "     /// The name of who has the key.", "   1 keeper: String?", "", "struct Book  // id: id",
        "   0 id: Int  // required", "     /// The title on the cover.", "     ///",
        "     /// In the language of the book.", "   1 title: String  // required", "", "enum ShelfAction",
        "     /// A book was brought.", "   0 case returned(Book, by: String)", "   1 case closed",
      ])
  }

  @Replicated fileprivate struct Renamed: Equatable {
    @Replicated(was: "count", "amount") var total: Int
    @Replicated(was: "title") var name = ""
  }

  @Replicated fileprivate enum RenamedAction: Equatable {
    @Replicated(was: "added") case counted(Int)
  }

  @Test func formerNamesAreShownAndReadAgain() throws {
    let schema = Schema(state: Renamed.self, action: RenamedAction.self)
    let text = SchemaText(schema: schema, documentation: SchemaDocumentation(), palette: Palette(isOn: false))
    #expect(
      text.lines(schema.definitions.indices) == [
        "struct SchemaTextTests.Renamed", "   0 total: Int  // required, was count, amount",
        "   1 name: String  // was title", "", "enum SchemaTextTests.RenamedAction",
        "   0 case counted(Int)  // was added",
      ])
    let read = try #require(DocumentedSchema(json: "\(text.json)"))
    #expect(read.schema.encoded() == schema.encoded())
    for other in ["[\"total\"]", "[7]", "\"count\"", "[\"name\"]"] {
      let changed = "\(text.json)".replacing("[\"count\",\"amount\"]", with: other)
      #expect(changed != "\(text.json)" && DocumentedSchema(json: changed) == nil, "\(other)")
    }
  }

  @Test func aCommentCannotControlTheTerminal() {
    var text = text
    text.documentation = SchemaDocumentation(state: Hostile.self, action: Bool.self)
    #expect(text.lines([0]).first == #"/// \u{1b}[2J"#)
  }

  private struct Hostile: WireValue {
    func encode(to encoder: inout CBOREncoder) { encoder.mapHeader(count: 0) }
    init(from decoder: inout CBORDecoder) throws(WireError) { try decoder.skip() }

    static func schema(in builder: inout SchemaBuilder) -> SchemaType {
      builder.structure(Self.self, name: "Hostile") { $0.document("\u{1b}[2J") }
    }
  }
}
