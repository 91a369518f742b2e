public import ComposableArchitecture
import Foundation
import Testing

@ObservableState
struct Plain: Codable, Equatable, Hashable, Sendable {
  var count = 0
  var name: String?
  let id: Int
  private(set) var isOn = false
  static let shared = 1
  static var computedShared: Int { 2 }
  var doubled: Int { count * 2 }
  var settable: Int {
    get { count }
    set { count = newValue }
  }
  @ObservationStateIgnored var ignored: [Int] = []
  @ObservationStateIgnored var absent: Int?
}

/// A state.
@ObservableState
public struct PublicState<Element: Equatable & Sendable>: Equatable, Sendable {
  /// A doc comment.
  public var element: Element  // and one behind it
  /// Another.
  public internal(set) var elements: [Element] = []
  package var packaged: Int?
  fileprivate var hidden = 1
  private var secret: String? = nil
  public init(element: Element) {
    self.element = element
  }
  func secrets() -> String? { secret }
}

@ObservableState private struct PrivateState: Equatable { var count = 0 }
@ObservableState fileprivate struct FileprivateState: Equatable { var inner = PrivateState() }
@ObservableState package struct PackageState: Equatable { package var count = 0 }
@available(macOS 99, *) @ObservableState struct AvailableState: Equatable { var count = 0 }

@ObservableState
struct Watched: Equatable {
  var log: [String] = []
  var count = 0 {
    didSet { log.append("\(oldValue) to \(count)") }
  }
  var name = "" {
    willSet { log.append("will be \(newValue)") }
    didSet { log.append("was \(oldValue)") }
  }
}

@ObservableState
struct Limited: Equatable {
  var level = 0 {
    didSet { if level > 10 { level = 10 } }
  }
  var `the name` = "" {
    didSet { self.`the name` = `the name`.lowercased() }
  }
}

@propertyWrapper
struct Clamped: Equatable {
  private var value: Int
  init(wrappedValue: Int) { value = wrappedValue }
  var wrappedValue: Int {
    get { min(value, 10) }
    set { value = newValue }
  }
}

@ObservableState
struct Wrapped: Equatable {
  @ObservationStateIgnored @Clamped var clamped = 3
  @Shared(.inMemory("wrapped")) var shared = 1
  @SharedReader(.inMemory("wrapped")) var reader = 1
  var other = 2
}

@ObservableState
struct WithInit: Equatable {
  var a: Int
  var b: String
  var c: Double?
  var d = 1
  init(a: Int) {
    self.a = a
    b = "\(a)"
    self.d += a
  }
}

@ObservableState
struct WithLazy {
  lazy var slow = count * 3
  var count = 1
}

@ObservableState
struct Conditionals: Equatable {
  #if os(Linux)
    var here = 1
    var optional: Int?
  #else
    var elsewhere = NoSuchValue
  #endif
  var always = 2
  var `default` = 3
  var `in`: Int? = nil
  var `two words` = 4
}

@ObservableState
struct Many40: Codable, Equatable, Hashable, Sendable {
  var f0 = 0
  var f1 = 1
  var f2 = 2
  var f3 = 3
  var f4 = 4
  var f5 = 5
  var f6 = 6
  var f7 = 7
  var f8 = 8
  var f9 = 9
  var f10 = 10
  var f11 = 11
  var f12 = 12
  var f13 = 13
  var f14 = 14
  var f15 = 15
  var f16 = 16
  var f17 = 17
  var f18 = 18
  var f19 = 19
  var f20 = 20
  var f21 = 21
  var f22 = 22
  var f23 = 23
  var f24 = 24
  var f25 = 25
  var f26 = 26
  var f27 = 27
  var f28 = 28
  var f29 = 29
  var f30 = 30
  var f31 = 31
  var f32 = 32
  var f33 = 33
  var f34 = 34
  var f35 = 35
  var f36 = 36
  var f37 = 37
  var f38 = 38
  var f39 = 39
}

@ObservableState @CasePathable @dynamicMemberLookup
enum EnumState: Equatable, Sendable {
  case plain(Plain)
  case labelled(plain: Plain)
  case several(Int, name: String)
  case number(Int)
  case empty
  indirect case again(EnumState)
  #if os(Linux)
    case here(Plain)
  #else
    case elsewhere(NoSuchType)
  #endif
}

@ObservableState enum EmptyState {}

final class Object: Sendable {}

@ObservableState
struct References {
  weak var object: Object?
  unowned var owner: Object
}

@ObservableState
struct Parent: Equatable {
  var child = Child()
  @Presents var destination: Plain?
  @Presents public var alert: AlertState<Never>? = nil
  @Presents private(set) var optional: Optional<Plain> = Plain(id: 9)
  @Presents var `default`: Plain?

  @ObservableState
  struct Child: Equatable { var count = 0 }
}

@Suite struct ObservableStateUseTests {
  @Test func synthesisedConformancesAndMemberwiseInitialisersRemain() throws {
    var state = Plain(id: 1)
    #expect(state == Plain(count: 0, name: nil, id: 1, isOn: false, ignored: [], absent: nil))
    state.count = 3
    state.name = "n"
    #expect(state != Plain(id: 1))
    #expect(Set([state, state, Plain(id: 1)]).count == 2)
    let decoded = try JSONDecoder().decode(Plain.self, from: JSONEncoder().encode(state))
    #expect(decoded == state)
    state.settable = 8
    #expect(state.doubled == 16)
    #expect(Plain(count: 5, id: 2).count == 5)
    #expect(Plain(name: "x", id: 2).name == "x")
  }

  @Test func dumpsShowStorageWithoutTheRegistrar() {
    var dump = ""
    customDump(Parent.Child(count: 3), to: &dump)
    #expect(dump == "Parent.Child(\n  _count: 3\n)")
    #expect(
      diff(Parent.Child(count: 3), Parent.Child(count: 4))
        == """
          Parent.Child(
        -   _count: 3
        +   _count: 4
          )
        """)
  }

  @Test func everyAccessLevel() {
    var state = PublicState(element: 1)
    state.element += 1
    state.elements.append(3)
    state.hidden = 2
    #expect(state.element == 2 && state.elements == [3] && state.packaged == nil && state.secrets() == nil)
    var file = FileprivateState()
    file.inner.count += 1
    #expect(file != FileprivateState())
    #expect(PackageState(count: 3).count == 3)
  }

  @Test func observersOfFieldsRunOnce() {
    var state = Watched()
    state.count = 1
    state.count += 1
    state.name = "n"
    #expect(state.log == ["0 to 1", "1 to 2", "will be n", "was "])
    state.log = []
    #expect(Watched(count: 2, name: "a").log == [])
  }

  @Test func anObserverThatAssignsItsFieldDoesNotRunAgain() {
    var state = Limited()
    state.level = 12
    #expect(state.level == 10)
    state.level += 5
    #expect(state.level == 10)
    state.level = 3
    state.`the name` = "BLOB"
    #expect(state == Limited(level: 3, `the name`: "blob"))
  }

  @Test func propertyWrappers() {
    var state = Wrapped()
    state.clamped = 30
    state.$shared.withLock { $0 = 4 }
    #expect(state.clamped == 10 && state.reader == 4 && state.other == 2)
  }

  @Test func initialisersOfOnesOwn() {
    let state = WithInit(a: 3)
    #expect(state.a == 3 && state.b == "3" && state.c == nil && state.d == 4)
    var lazy = WithLazy(count: 3)
    #expect(lazy.slow == 9)
  }

  @Test func conditionalFieldsAndKeywords() {
    var state = Conditionals()
    #if os(Linux)
      state.here += 1
      #expect(state.here == 2 && state.optional == nil)
    #endif
    state.default += 1
    state.in = 5
    state.`two words` += 1
    #expect(state.default == 4 && state.in == 5 && state.always == 2 && state.`two words` == 5)
  }

  @Test func manyFields() throws {
    var state = Many40(f39: 3)
    state.f0 += 5
    #expect(state != Many40())
    #expect(state.f38 == 38 && state.f39 == 3)
    #expect(try JSONDecoder().decode(Many40.self, from: JSONEncoder().encode(state)) == state)
  }

  @Test func enumsHaveTheIdentityOfTheirPayload() {
    let plain = Plain(id: 1)
    let state = EnumState.plain(plain)
    #expect(state._$id == EnumState.plain(plain)._$id)
    #expect(state._$id != EnumState.plain(Plain(id: 1))._$id)
    #expect(state._$id != EnumState.labelled(plain: plain)._$id)
    #expect(EnumState.empty._$id == EnumState.empty._$id)
    #expect(EnumState.several(1, name: "a")._$id == EnumState.several(2, name: "b")._$id)
    #expect(EnumState.empty._$id != EnumState.number(1)._$id)
    #expect(EnumState.again(state)._$id != state._$id)
    var copy = EnumState.labelled(plain: plain)
    copy._$willModify()
    #expect(copy[case: \.labelled] == plain)
    #expect(copy._$id != EnumState.labelled(plain: plain)._$id)
  }

  @Test func identitySurvivesChangeAndNotReplacement() {
    var child = Parent.Child()
    let id = child._$id
    child.count += 1
    #expect(child._$id == id)
    var copy = child
    copy.count += 1
    #expect(copy._$id != child._$id)
    #expect(Parent.Child()._$id != id)
  }

  @Test func presentedFields() {
    var state = Parent()
    #expect(state.destination == nil && state.alert == nil && state.optional?.id == 9 && state.default == nil)
    state.destination = Plain(id: 1)
    state.destination?.count = 4
    #expect(state.$destination.wrappedValue?.count == 4)
    state.$destination.wrappedValue = nil
    #expect(state.destination == nil)
    #expect(Parent(destination: Plain(id: 2)).destination?.id == 2)
    #expect(Parent(child: .init(count: 2)) != Parent())
    state.default = Plain(id: 3)
    #expect(state.$default.wrappedValue?.id == 3)
  }

  @Test func referencesAreHeldAsTheFieldSays() {
    let owner = Object()
    var object: Object? = Object()
    let state = References(object: object, owner: owner)
    #expect(state.object != nil && state.owner === owner)
    object = nil
    #expect(state.object == nil)
  }

  @Test func onlyTheFieldThatWasReadIsObserved() {
    final class Flag: @unchecked Sendable { var isSet = false }
    var state = Conditionals()
    let flag = Flag()
    withObservationTracking {
      _ = state.always
    } onChange: {
      flag.isSet = true
    }
    state.default += 1
    #expect(!flag.isSet)
    state.always += 1
    #expect(flag.isSet)
  }
}
