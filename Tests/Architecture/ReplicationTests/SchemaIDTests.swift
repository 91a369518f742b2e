import ComposableArchitecture
import Foundation
import ReplicatedArchitecture
import TestSupport
import Testing

@testable import Wire

/// The paths to the ids of elements in a schema, and the representation of opaque types.
private enum Contact {
  @Replicated
  struct Stored: Equatable, Identifiable {
    var name = ""
    let id: Int
  }

  @Replicated
  struct Named: Equatable, Identifiable {
    var name = ""
    @ReplicatedKey(7) let number: Int
    var id: Int { number }
  }

  @Replicated
  struct Written: Equatable, Identifiable {
    var number = 0
    var id: Int {
      get { return self.number }
      set { number = newValue }
    }
  }

  @ObservableState
  @Replicated
  struct Detail: Equatable, Identifiable {
    var title = ""
    var contact: Named
    var id: Int { contact.id }
  }

  @Replicated
  struct Outer: Equatable, Identifiable {
    var contact: Named
    var id: String { contact.name }
  }

  @Replicated
  struct Computed: Equatable, Identifiable {
    var first = 0
    var second = 0
    var id: String { "\(first) \(second)" }
  }

  @Replicated
  struct Renumbered: Equatable, Identifiable {
    var number = 0
    @ReplicatedKey(7) let other: Int
    var id: Int { other }
  }

  @Replicated
  struct ByNumber: Equatable, Identifiable {
    var number = 0
    @ReplicatedKey(7) let other: Int
    var id: Int { number }
  }

  enum Level: Int { case low, high }

  /// A type with an opaque encoding.
  struct Secret: WireValue {
    init(from decoder: inout CBORDecoder) throws(WireError) { try decoder.skip() }
    func encode(to encoder: inout CBOREncoder) { encoder.null() }
  }

  @Replicated
  struct Key: Hashable {
    var level = Contact.Level.low
    var tag: UUID
    var parts: [Int8]?
  }

  @ObservableState
  @Replicated
  struct Nested: Equatable {
    @Presents var child: Nested?
    var depth = 0
  }
}

extension Contact.Level: Replicated {}

/// Structs that contain themselves through property wrappers.
private enum Chain {
  @Replicated
  struct Presenting: Equatable {
    var depth = 0
    @PresentationState var child: Presenting?
  }

  @propertyWrapper
  struct Boxed<Value: Equatable & Sendable>: Equatable, Sendable {
    private var values: [Value]

    init(wrappedValue: Value) {
      values = [wrappedValue]
    }

    var wrappedValue: Value {
      get { values[0] }
      set { values[0] = newValue }
    }
  }

  @Replicated
  struct Link: Equatable, Sendable {
    var depth = 0
    @Boxed var next: Link? = nil
  }

  @Replicated
  struct Numbered: Equatable {
    let number: Int
    @Replicated(omit) @PresentationState var kept: Presenting?
  }
}

@Suite struct SchemaIDTests {
  private func id<Element: Replicated>(of type: Element.Type) -> [UInt64] {
    Schema(state: type, action: Never.self).definitions[0].id
  }

  @Test func theFieldOfTheIDIsInTheSchema() throws {
    #expect(id(of: Contact.Stored.self) == [1])
    #expect(id(of: Contact.Named.self) == [7])
    #expect(id(of: Contact.Written.self) == [0])
    #expect(id(of: Contact.Detail.self) == [1, 7])
    #expect(id(of: Contact.Outer.self) == [0, 0])
    #expect(id(of: Contact.Computed.self) == [])
    #expect(id(of: Contact.Nested.self) == [])
    #expect(id(of: HubState.self) == [])
    #expect(Schema(state: HubState.self, action: Never.self).definitions[1].id == [0])
    let schema = Schema(state: Contact.Detail.self, action: Never.self)
    let bytes = schema.encoded()
    #expect(try Schema(decoding: bytes.span.bytes) == schema)
  }

  @Test func elementsThatAreToldApartByOtherFieldsAreIncompatible() {
    let here = Schema(state: IdentifiedArrayOf<Contact.ByNumber>.self, action: Never.self)
    let there = Schema(state: IdentifiedArrayOf<Contact.Renumbered>.self, action: Never.self)
    #expect(
      here.compatibility(with: there)
        == .incompatible("the elements of the state are told apart by 'number' here and by 'other' there"))
  }

  @Test func typesThatLookAlikeHaveFormsOfTheirOwn() {
    func type<Value: WireValue>(_ type: Value.Type) -> SchemaType {
      Schema(state: type, action: Never.self).state
    }
    #expect(type(Contact.Level.self) == .named("raw", [.named("Level"), .named("Int")]))
    #expect(type(Contact.Secret.self) == .named("opaque", [.named("Secret")]))
    #expect(type(PresentationState<Contact.Level>.self) == .named("PresentationState", [type(Contact.Level.self)]))
    #expect(type(Unicode.Scalar.self) == .named("Unicode.Scalar"))
    for (type, name) in [
      (type(Int.self), "Int"), (type(UInt8.self), "UInt8"), (type(Int128.self), "Int128"), (type(Bool.self), "Bool"),
      (type(Float.self), "Float"), (type(String.self), "String"), (type(Duration.self), "Duration"),
      (type(Never.self), "Never"), (type(Data.self), "Data"), (type(UUID.self), "UUID"), (type(Date.self), "Date"),
      (type(URL.self), "URL"), (type(Decimal.self), "Decimal"), (type(StackElementID.self), "StackElementID"),
      (type(TextState.self), "TextState"),
    ] {
      #expect(type == .named(name))
    }
    guard case .fields(let fields) = Schema(state: Parent.State.self, action: Never.self).definitions[0].content,
      let field = fields.first(where: { $0.name == "destination" }), case .named(let name, _) = field.type
    else {
      Issue.record("Parent.State has no field 'destination'")
      return
    }
    #expect(name == "PresentationState")
  }

  /// A presented child may present another of its type, so the depth of a peer's input is limited.
  @Test func presentedChildrenNestOnlySoDeep() throws {
    var bytes: [UInt8] = []
    for _ in 0..<100_000 { bytes += [0xa1, 0x00, 0x81] }
    #expect(throws: WireError(.tooDeep(limit: 64), at: 64 * 3 + 2)) { try Contact.Nested(decoding: bytes.span.bytes) }
    var state = Contact.Nested()
    var change: [UInt8] = []
    for _ in 0..<100_000 { change += [0xa1, 0x00, 0xa1, 0x00] }
    for _ in 0..<63 { state = Contact.Nested(child: state) }
    let whole = state.encoded()
    #expect(try Contact.Nested(decoding: whole.span.bytes) == state)
    // The schema alone allows as many.
    let schema = Schema(state: Never.self, action: Contact.Nested.self)
    #expect(throws: Never.self) { try schema.check(whole, schema.action) }
    for _ in 0..<3 { state = Contact.Nested(child: state) }
    #expect(throws: WireError(.tooDeep(limit: 64), at: 64 * 4 + 2)) { try state.applying(change) }
  }

  @Test func wrappedFieldsNestOnlySoDeep() throws {
    var (bytes, change): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<100_000 {
      bytes += [0xa1, 0x01, 0x81]
      change += [0xa1, 0x01, 0xa1, 0x00]
    }
    let (deepInValue, deepInChange) = (
      WireError(.tooDeep(limit: 64), at: 64 * 3 + 2), WireError(.tooDeep(limit: 64), at: 64 * 4 + 2)
    )
    #expect(throws: deepInValue) { try Chain.Presenting(decoding: bytes.span.bytes) }
    #expect(throws: deepInValue) { try Chain.Link(decoding: bytes.span.bytes) }

    var (presenting, link) = (Chain.Presenting(), Chain.Link())
    for depth in 1...63 {
      presenting = Chain.Presenting(depth: depth, child: presenting)
      link = Chain.Link(depth: depth, next: link)
    }
    #expect(try Chain.Presenting(decoding: presenting.encoded().span.bytes) == presenting)
    #expect(try Chain.Link(decoding: link.encoded().span.bytes) == link)
    var (changed, changedLink) = (presenting, link)
    changed.child?.child = nil
    changedLink.next?.next = nil
    #expect(try presenting.applying(changed.delta(from: presenting)) == changed)
    #expect(try link.applying(changedLink.delta(from: link)) == changedLink)

    for _ in 0..<3 {
      presenting = Chain.Presenting(child: presenting)
      link = Chain.Link(next: link)
    }
    #expect(throws: deepInChange) { try presenting.applying(change) }
    #expect(throws: deepInChange) { try link.applying(change) }
  }

  @Test func presentedChildrenWithoutObservationAreNamedInTheSchema() throws {
    let schema = Schema(state: Chain.Presenting.self, action: Never.self)
    guard case .fields(let fields) = schema.definitions[0].content else {
      Issue.record("Chain.Presenting has no fields")
      return
    }
    #expect(fields.map(\.type) == [.named("Int"), .named("PresentationState", [.definition(0)])])
    #expect(fields.map(\.hasDefault) == [true, true])

    let old = Chain.Numbered(number: 1, kept: Chain.Presenting(depth: 4))
    let applied = try old.applying(Chain.Numbered(number: 2).delta(from: old))
    #expect(applied == Chain.Numbered(number: 2, kept: Chain.Presenting(depth: 4)))
  }

  @Test func anIDOfAnyTypeIsChecked() throws {
    let key = Contact.Key(tag: UUID(), parts: [1])
    #expect(try reason(ofID: key.encoded(), Contact.Key.self) == nil)
    #expect(try reason(ofID: "a".encoded(), String.self) == nil)
    #expect(try reason(ofID: 5.encoded(), String.self) == "byte 0: expected text")
    #expect(try reason(ofID: 500.encoded(), UInt8.self) == "byte 0: the number does not fit UInt8")
    #expect(try reason(ofID: [0xa1, 0x00, 0x00], Contact.Key.self) == "byte 0: field 1 of Contact.Key is missing")
    #expect(try reason(ofID: [0x18, 0x05], Int.self) == "byte 0: a number or length is not in its shortest form")
  }

  /// Returns the reason why a path with an id of some type is rejected, if it is.
  private func reason<ID: Hashable & Replicated>(ofID id: [UInt8], _ type: ID.Type) throws -> String? {
    var schema = Schema(state: [ID].self, action: Never.self)
    guard case .named(_, let parts) = schema.state else { return nil }
    schema.state = .named("IdentifiedArray", [parts[0], .named("Int")])
    do throws(SchemaPathError) {
      _ = try schema.type(at: [.id(id)])
      return nil
    } catch {
      let prefix = "the id of an element of the state is refused: "
      return error.reason.hasPrefix(prefix) ? String(error.reason.dropFirst(prefix.count)) : error.reason
    }
  }
}
