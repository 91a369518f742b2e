import ComposableArchitecture
import ReplicatedArchitecture
import SchemaNames
import Testing
import Wire

private enum Documented {
  /// A box.
  ///
  /// With a lid.
  @Replicated
  struct State: Equatable {
    /// What is in it.
    var items: [Item] = []
    var count = 0
  }

  /// A thing.
  @Replicated
  struct Item: Equatable {
    /// Its name.
    var name: String
  }

  @Replicated
  enum Action: Equatable {
    /// The lid was opened.
    case opened
    case put(Item)
  }

  @Replicated
  enum Root {
    /// Of the box.
    case box(Action)
    case boxes(IdentifiedAction<Int, Action>)
  }
}

private enum Silent {
  @Replicated
  struct State: Equatable {
    var items: [Item] = []
    var count = 0
  }

  @Replicated
  struct Item: Equatable {
    var name: String
  }

  @Replicated
  enum Action: Equatable {
    case opened
    case put(Item)
  }
}

@Suite struct SchemaDocumentationTests {
  private let schema = Schema(state: Documented.State.self, action: Documented.Action.self)
  private let documentation = SchemaDocumentation(state: Documented.State.self, action: Documented.Action.self)

  @Test func theCommentsOfTheSourceAreFoundByDefinitionAndKey() throws {
    try #require(schema.definitions.map(\.name) == ["Documented.State", "Documented.Item", "Documented.Action"])
    #expect(documentation.text(of: 0) == "A box.\n\nWith a lid.")
    #expect(documentation.text(ofMember: 0, of: 0) == "What is in it.")
    #expect(documentation.text(ofMember: 1, of: 0) == nil)
    #expect(documentation.text(of: 1) == "A thing.")
    #expect(documentation.text(ofMember: 0, of: 1) == "Its name.")
    #expect(documentation.text(of: 2) == nil)
    #expect(documentation.text(ofMember: 0, of: 2) == "The lid was opened.")
    #expect(documentation.text(of: 3) == nil && documentation.text(ofMember: 0, of: 3) == nil)
    #expect(SchemaDocumentation(state: Silent.State.self, action: Silent.Action.self).isEmpty)
  }

  @Test func theyAreNoPartOfTheSchema() throws {
    var silent = Schema(state: Silent.State.self, action: Silent.Action.self)
    for index in silent.definitions.indices { silent.definitions[index].name.replace("Silent", with: "Documented") }
    #expect(schema == silent)
    #expect(schema.fingerprint == silent.fingerprint)
  }

  @Test func bothAreReadBackFromTheirBytes() throws {
    let documented = DocumentedSchema(schema, documentation)
    let bytes = documented.encoded()
    #expect(try DocumentedSchema(decoding: bytes.span.bytes) == documented)
    // {1: ["A thing.", {0: "Its name."}]} in the notation of the protocol.
    let item = SchemaDocumentation(state: Documented.Item.self, action: Bool.self).encoded()
    #expect(item == [0xa1, 0, 0x82, 0x68] + Array("A thing.".utf8) + [0xa1, 0, 0x69] + Array("Its name.".utf8))
  }

  @Test(arguments: [
    [0xa1, 0x19, 0x04, 0x00, 0x82, 0x61, 0x61, 0xa0],  // the definition 1024
    [0xa1, 0x00, 0x82, 0x60, 0xa0],  // no comment
    [0xa1, 0x00, 0x82, 0x61, 0x61, 0xa1, 0x00, 0x60],  // an empty comment of a field
    [0xa1, 0x00, 0x83, 0x61, 0x61, 0xa0, 0xa0],  // three items
    [0xa2, 0x01, 0x82, 0x61, 0x61, 0xa0, 0x00, 0x82, 0x61, 0x61, 0xa0],  // keys out of order
    [0xa1, 0x00, 0x82, 0x79, 0x10, 0x01] + [UInt8](repeating: 0x61, count: 4097) + [0xa0],  // 4097 bytes
  ])
  func malformedCommentsAreRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try SchemaDocumentation(decoding: bytes.span.bytes) }
  }

  @Test func aCommentOfAMissingDefinitionIsRefused() {
    let bytes = [0x82] + Schema(state: Bool.self, action: Bool.self).encoded() + [0xa1, 0, 0x82, 0x61, 0x61, 0xa0]
    #expect(throws: WireError.self) { try DocumentedSchema(decoding: bytes.span.bytes) }
  }

  /// A type with a comment of 5,000 characters of three bytes, and a hundred fields with one of 4,000 bytes.
  private struct Talkative: WireValue {
    func encode(to encoder: inout CBOREncoder) { encoder.mapHeader(count: 0) }
    init(from decoder: inout CBORDecoder) throws(WireError) { try decoder.skip() }

    static func schema(in builder: inout SchemaBuilder) -> SchemaType {
      builder.structure(Self.self, name: "Talkative") { fields in
        fields.document(String(repeating: "水", count: 5000))
        for key in 0..<100 as Range<UInt64> { fields.document(String(repeating: "a", count: 4000), key: key) }
      }
    }
  }

  @Test func longCommentsAreCutAndTooManyLeftOut() throws {
    let documentation = SchemaDocumentation(state: Talkative.self, action: Bool.self)
    let text = try #require(documentation.text(of: 0))
    #expect(text.utf8.count <= 4096 && text.utf8.count > 4090)
    #expect(text.hasPrefix("水水") && text.hasSuffix("水…"))
    let kept = (0..<100).filter { documentation.text(ofMember: $0, of: 0) != nil }
    #expect(kept == Array(0..<64))
    let bytes = documentation.encoded()
    #expect(bytes.count < SchemaDocumentation.byteLimit + 1000)
    #expect(try SchemaDocumentation(decoding: bytes.span.bytes) == documentation)
  }

  @Test func theCommentOfAnActionIsThatOfItsLastCase() throws {
    let schema = Schema(state: Documented.State.self, action: Documented.Root.self)
    let documentation = SchemaDocumentation(state: Documented.State.self, action: Documented.Root.self)
    func text(_ name: String) throws -> String? {
      documentation.text(ofAction: try schema.actionPath(named: name), in: schema)
    }
    #expect(try text("box.opened") == "The lid was opened.")
    #expect(try text("boxes[3].opened") == "The lid was opened.")
    #expect(try text("box") == "Of the box.")
    #expect(try text("boxes") == nil && text("boxes[3]") == nil && text("") == nil)
  }

  @Test func aSummaryIsTheFirstParagraph() {
    #expect(SchemaDocumentation.summary(of: "A box\n  with a lid.\n \nMore.") == "A box with a lid.")
    #expect(SchemaDocumentation.summary(of: "") == "")
  }
}
