import Foundation
import IdentifiedCollections
import JSONText
import ReplicatedFoundation
import SchemaNames
import Testing
import Wire

/// Types of apps that become replicated by one line.
@Suite struct WrapperTypeTests {
  @Test func aWrapperWithAPhantomTypeHasTheBytesOfItsRawValue() throws {
    let id = Tagged<User, Int>(rawValue: 7)
    #expect(id.encoded() == [7])
    #expect(try Tagged<User, Int>(decoding: id.encoded().span.bytes) == id)
    #expect(throws: WireError.self) { try Tagged<User, Int>(decoding: "a".encoded().span.bytes) }
    #expect(Tagged<User, String>(rawValue: "\u{e9}").differs(from: Tagged(rawValue: "e\u{301}")))
  }

  @Test func itIsAnIDAndAKey() throws {
    var old = Shop()
    old.users = [User(id: 1, name: "A"), User(id: 2, name: "B")]
    old.prices = ["tea": 3]
    var new = old
    new.users[id: 2]?.name = "C"
    new.users.remove(id: 1)
    new.users.append(User(id: 3, name: "D"))
    new.prices["milk"] = 1
    new.chosen = [2, 3]
    new.last = 3
    var encoder = CBOREncoder()
    new.encodeDelta(from: old, to: &encoder)
    var decoder = CBORDecoder(encoder.bytes.span.bytes)
    #expect(try old.applying(delta: &decoder) == new)
    #expect(try Shop(decoding: new.encoded().span.bytes) == new)
    #expect(new.part(at: [.key(0), .id(Tagged<User, Int>(rawValue: 2).encoded()), .key(1)]) as? String == "C")
  }

  @Test func usersReadTheRawValue() throws {
    var shop = Shop()
    shop.users = [User(id: 1, name: "A")]
    shop.prices = ["tea": 3]
    let schema = Schema(state: Shop.self, action: Deletion.self)
    let json = SchemaJSON(schema).json(
      of: try CBORValue(decoding: shop.encoded().span.bytes), as: schema.state)
    #expect("\(json)" == #"{"users":[{"id":1,"name":"A"}],"prices":[["tea",3]],"chosen":[],"last":null}"#)
  }

  // MARK: Index sets

  @Test func anIndexSetIsItsRanges() throws {
    let set = IndexSet([0, 1, 2, 5, 7, 8])
    #expect(set.encoded() == [0x83, 0x82, 0, 3, 0x82, 5, 6, 0x82, 7, 9])
    for set in [
      set, IndexSet(), IndexSet(integersIn: 0..<(.max)), IndexSet(integersIn: 0..<3), [.max - 1], [0, .max - 1],
    ] {
      let bytes = Deletion.delete(set).encoded()
      let read = try Deletion(decoding: bytes.span.bytes)
      #expect(read == .delete(set) && read.encoded() == bytes && !read.differs(from: .delete(set)))
    }
    #expect(Deletion.delete([1]).differs(from: .delete([2])))
  }

  @Test(
    arguments: [
      [0x81, 0x82, 3, 3], [0x81, 0x82, 3, 2], [0x82, 0x82, 0, 3, 0x82, 3, 5], [0x82, 0x82, 0, 3, 0x82, 1, 5],
      [0x82, 0x82, 5, 6, 0x82, 0, 1], [0x81, 0x82, 0x20, 1], [0x81, 0], [0xa0],
      [0x9b, 255, 255, 255, 255, 255, 255, 255, 255],
    ] as [[UInt8]])
  func otherFormsOfAnIndexSetAreRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try IndexSet(decoding: bytes.span.bytes) }
  }

  @Test func usersReadAndWriteAnIndexSet() throws {
    let schema = Schema(state: Shop.self, action: Deletion.self)
    let action = Deletion.delete([0, 1, 4])
    #expect(schema.text(ofAction: try CBORValue(decoding: action.encoded().span.bytes)) == "delete [[0,2],[4,5]]")
    let read = try schema.action(
      schema.actionPath(named: "delete"),
      [.array([.array([.number("0"), .number("2")]), .array([.number("4"), .number("5")])])])
    #expect(read.encoded() == action.encoded())
  }
}

/// A wrapper of an app, made replicated by one line below.
private struct Tagged<Tag, RawValue: Hashable>: RawRepresentable, Hashable {
  var rawValue: RawValue
  init(rawValue: RawValue) { self.rawValue = rawValue }
}

extension Tagged: WireValue, Replicated where RawValue: Replicated {}

extension Tagged: ExpressibleByIntegerLiteral where RawValue == Int {
  init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension Tagged: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
  ExpressibleByStringLiteral
where RawValue == String {
  init(stringLiteral value: String) { self.init(rawValue: value) }
}

@Replicated private struct User: Equatable, Identifiable {
  var id: Tagged<User, Int>
  var name = ""
}

@Replicated private struct Shop: Equatable {
  var users: IdentifiedArrayOf<User> = []
  var prices: [Tagged<Shop, String>: Int] = [:]
  var chosen: Set<Tagged<User, Int>> = []
  var last: Tagged<User, Int>?
}

@Replicated private enum Deletion: Equatable { case delete(IndexSet) }
