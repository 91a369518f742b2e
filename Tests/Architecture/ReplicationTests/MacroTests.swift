package import ComposableArchitecture
import ReplicatedArchitecture
import TestSupport
import Testing
public import Wire

/// Unusual types that the macro must support.
enum Namespace {
  @Replicated
  fileprivate struct Hidden: Equatable {
    var `default` = 1
    var base = 2
    var encoder: String?
    var x, y: Int
    private var secret = 3
    var computed: Int { x + y }
    var observed = 0 {
      didSet { secret += 1 }
    }
    static let shared = 5
    @Replicated(.omit) var closure: @Sendable () -> Int = { 4 }
    @Replicated(omit) var kept: Int?

    init(x: Int) { (self.x, y) = (x, 0) }

    static func == (lhs: Self, rhs: Self) -> Bool { !lhs.differs(from: rhs) }
  }

  static func aPrivateTypeWithAwkwardNames() throws {
    var new = Hidden(x: 1)
    let old = new
    new.base = 9
    new.y = 3
    new.encoder = "e"
    #expect(new.encoded().hexadecimal == "a700010109028161650301040305030600")
    #expect(try Hidden(decoding: new.encoded().span.bytes) == new)
    let applied = try old.applying(new.delta(from: old))
    #expect(applied == new)
    #expect(applied.closure() == 4)
  }
}

@Replicated
public struct PublicBox<Value: Equatable & Sendable, Key: Hashable>: Equatable {
  public var value: Value
  public var all: [Key: [Value]]
}

extension PublicBox: Sendable where Key: Sendable {}

@Replicated
package struct Rows<Element: Identifiable & Equatable>: Equatable {
  package var rows: IdentifiedArrayOf<Element> = []
}

@Replicated
private struct Alone: Equatable {
  let number: Int
  var name = ""
}

@Replicated
struct Empty: Equatable {}

@Replicated
struct Sparse: Equatable {
  @ReplicatedKey(40) var late = 1
  var next = 2
  @ReplicatedKey(3) var early = 3
}

@Replicated
private struct Conditional: Equatable {
  let number: Int
  #if os(Linux)
    @Replicated(omit) var cache = 1
    #if DEBUG || !DEBUG
      @Replicated(omit) var inner: Int?
    #endif
  #else
    @Replicated(omit) var other = NoSuchValue
  #endif
}

@ObservableState
@Replicated
private struct RawNames: Equatable {
  let number: Int
  var `two words` = 0
  @Replicated(omit) var `left out` = 1
}

@Replicated
enum Nothing {}

@Replicated
enum Only: Equatable {
  case one(Int)
}

@Replicated
enum Plain: Equatable {
  case a, b
  @ReplicatedKey(30) case c
}

struct Outer<Value: Replicated & Equatable> {
  @Replicated
  struct Inner: Equatable {
    var value: Value
  }
}

@Suite struct MacroTests {
  private func check<Value: Replicated & Equatable>(_ old: Value, _ new: Value) throws {
    #expect(try Value(decoding: new.encoded().span.bytes) == new)
    #expect(try old.applying(new.delta(from: old)) == new)
    #expect(new.differs(from: old) == (new != old))
  }

  @Test func awkwardNames() throws {
    try Namespace.aPrivateTypeWithAwkwardNames()
  }

  @Test func genericTypesTravelWhenTheirParametersDo() throws {
    try check(PublicBox(value: 1, all: ["a": [1]]), PublicBox(value: 2, all: ["a": [1, 2], "b": []]))
    try check(Rows(rows: [Item(id: 1)]), Rows(rows: [Item(id: 2), Item(id: 1, title: "x")]))
    try check(Outer<Int>.Inner(value: 1), Outer<Int>.Inner(value: 2))
    #expect(!(PublicBox<Empty, Opaque>.self is any Replicated.Type))
  }

  private struct Opaque: Hashable {}

  @Test func typesWithoutMuchInThem() throws {
    try check(Empty(), Empty())
    #expect(Empty().encoded() == [0xa0])
    #expect(Empty().delta(from: Empty()) == [0xa0])
    try check(Alone(number: 1), Alone(number: 2, name: "a"))
    try check(Only.one(1), Only.one(2))
    #expect(Only.one(2).delta(from: .one(1)) == [0xa1, 0x00, 0x02])
    try check(Plain.a, Plain.c)
    #expect(Plain.c.encoded() == [0x18, 30])
    #expect(throws: WireError.self) { try Plain(decoding: ([0x02] as [UInt8]).span.bytes) }
  }

  @Test func anEnumWithoutCasesHasNoValues() {
    let type: any Replicated.Type = Nothing.self
    for bytes: [UInt8] in [[0x00], [0x81, 0x00], [0xa0], []] {
      #expect(throws: WireError.self) { _ = try type.init(decoding: bytes.span.bytes) }
    }
    #expect(Schema(state: Nothing.self, action: Never.self).definitions.map(\.name) == ["Nothing"])
  }

  @Test func omittedFieldsWithinConditionsAreKept() throws {
    let old = Conditional(number: 1, cache: 5, inner: 6)
    #expect(try old.applying(Conditional(number: 2).delta(from: old)) == Conditional(number: 2, cache: 5, inner: 6))
  }

  @Test func namesThatAreNoIdentifiersTravel() throws {
    try check(RawNames(number: 1), RawNames(number: 1, `two words`: 3))
    let old = RawNames(number: 1, `two words`: 2, `left out`: 5)
    let new = RawNames(number: 2, `two words`: 3, `left out`: 6)
    #expect(try old.applying(new.delta(from: old)) == RawNames(number: 2, `two words`: 3, `left out`: 5))
  }

  @Test func keysAscendInTheBytesWhateverTheOrderInTheSource() throws {
    #expect(Sparse().encoded().hexadecimal == "a303031828011829" + "02")
    try check(Sparse(), Sparse(late: 9, next: 8, early: 7))
    #expect(Sparse(early: 4).delta(from: Sparse()) == [0xa1, 0x03, 0x04])
  }

  @Test func fieldsThatAreMissingHaveTheirDefaultsOrAreNamed() throws {
    #expect(try Sparse(decoding: ([0xa0] as [UInt8]).span.bytes) == Sparse())
    #expect(throws: WireError(.missingField(key: 0, type: "Item"), at: 0)) {
      try Item(decoding: ([0xa0] as [UInt8]).span.bytes)
    }
  }
}

/// A type whose members' access follows from the extension.
package enum Catalogue {}

// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
package extension Catalogue {
  @Replicated struct Filter: Equatable { var text = "" }

  @Replicated enum Order: Equatable {
    case ascending
    case by(String)
  }

  @ObservableState struct Search { package var count = 0 }

  @CasePathable enum Action { case cleared }
}

extension MacroTests {
  @Test func anExtensionSetsTheAccessOfWhatItDeclares() throws {
    let filter = Catalogue.Filter(text: "a")
    #expect(try Catalogue.Filter(decoding: filter.encoded().span.bytes) == filter)
    #expect(try Catalogue.Order(decoding: Catalogue.Order.by("b").encoded().span.bytes) == .by("b"))
  }
}
