public import ComposableArchitecture
import Testing

@CasePathable @dynamicMemberLookup
enum Conditional: Equatable {
  case always(Int)
  #if os(Linux)
    case here(String)
    #if DEBUG || !DEBUG
      case within(Int, name: String)
    #endif
  #elseif os(Windows)
    case here(Int)
  #else
    case elsewhere
  #endif
  #if os(Windows)
    case nowhere(NoSuchType)
  #endif
}

@CasePathable
public enum Generic<Element: Sendable, Failure: Error>: Sendable {
  case value(Element)
  case failure(Failure)
  case nested(Nested)
  case pair(Element, again: Self.Alias)

  public typealias Alias = Element

  @CasePathable
  public enum Nested: Sendable {
    case deep(Element)
    case none
  }
}

@CasePathable
enum Keywords: Equatable {
  case `default`
  case `case`(Int)
  case `in`(`for`: Int, `where`: String)
  case `self`(Int)
  case `init`(Int)
  case `func`
  case none, some(Int)
  case makeIterator(Int), map(Int)
  case `two words`(Int)
}

@CasePathable
indirect enum Payloads {
  /// A function.
  case run(@Sendable (Int) -> String)
  case optional(Int?)
  case tuple((Int, String))
  case withDefault(Int = 3, name: String = "n")
  case unlabelled(_ value: Int)
  case wildcard(_ a: Int, b: Int)
  case own(Self)
  case existential(any Error)
  case array([Self]), dictionary([String: Payloads])
  case void(Void)
  case never(Never), labelledNever(_ value: Never)
  case metatype(Int.Type)
  /// An old one.
  @available(*, deprecated, message: "use another")
  case old(Int)
}

/// Types whose names have another meaning within a sequence.
struct Root { enum Action { case tapped } }
struct Element: Equatable {}

@CasePathable
public enum Shadowing: Sendable {
  case root(Iterator)
  case several(Iterator, own: [Iterator])
  case plain(Int)
  #if os(Windows)
    case nowhere(NoSuchType)
  #endif
  public struct Iterator: Equatable, Sendable {}
}

@CasePathable
indirect enum RootAction {
  case root(Root.Action)
  case element(Element)
  case own(Self?)
}

@CasePathable private enum PrivateAction { case tapped(Int) }
@CasePathable fileprivate enum FileprivateAction { case tapped(PrivateAction) }
@CasePathable package enum PackageAction { case tapped(Int) }
@available(macOS 99, *) @CasePathable public enum AvailableAction { case tapped(Int) }
@available(*, deprecated) @CasePathable public enum DeprecatedAction { case tapped(Int) }

extension PackageAction {
  @CasePathable public enum InExtension { case tapped(Int) }
}

@CasePathable
enum Many: Equatable {
  case c0(Int), c1(Int), c2(Int), c3(Int), c4(Int), c5(Int), c6(Int), c7(Int), c8(Int), c9(Int)
  case c10(Int), c11(Int), c12(Int), c13(Int), c14(Int), c15(Int), c16(Int), c17(Int), c18(Int), c19(Int)
  case c20(Int), c21(Int), c22(Int), c23(Int), c24(Int), c25(Int), c26(Int), c27(Int), c28(Int), c29(Int)
  case c30(Int), c31(Int), c32(Int), c33(Int), c34(Int), c35(Int), c36(Int), c37(Int), c38(Int), c39(Int)
  case c40, c41, c42, c43, c44, c45, c46, c47, c48, c49
  case c50, c51, c52, c53, c54, c55, c56, c57, c58, c59
}

@Suite struct CasePathableUseTests {
  @Test func conditionalCases() {
    #expect(Conditional.always(1)[case: \.always] == 1)
    #expect(Conditional.always(1).always == 1)
    #if os(Linux)
      #expect(Conditional.here("a").here == "a")
      #expect(Conditional.within(1, name: "n")[case: \.within]?.name == "n")
      #expect(Conditional.allCasePaths[.here("")] == \.here)
      #expect(Conditional.allCasePaths[.within(1, name: "")] == \.within)
      #expect(Array(Conditional.allCasePaths) == [\.always, \.here, \.within])
    #endif
  }

  /// Release builds route actions by these numbers; debug builds do not use them.
  @Test func everyCaseHasItsOwnIndex() {
    #if os(Linux)
      #expect(Conditional._caseIndex(of: .always(1)) != Conditional._caseIndex(of: .here("")))
      #expect(Conditional._caseIndex(of: .here("")) != Conditional._caseIndex(of: .within(1, name: "")))
    #endif
    let keywords: [Keywords] = [
      .default, .case(1), .in(for: 1, where: ""), .`self`(1), .`init`(1), .func, .none, .some(2),
    ]
    #expect(keywords.map { Keywords._caseIndex(of: $0) } == Array(0..<8))
    #expect(Keywords._caseIndex(of: .case(7)) == 1)
    let many = Many.allCasePaths.compactMap { $0 as? CaseKeyPath<Many, Int> }.map { AnyCasePath($0).embed(1) }
    #expect(many.map { Many._caseIndex(of: $0) } == Array(0..<40))
    #expect(Many._caseIndex(of: .c40) == 40 && Many._caseIndex(of: .c59) == 59)
    #expect(Generic<Int, CancellationError>._caseIndex(of: .pair(1, again: 2)) == 3)
    #expect(Shadowing._caseIndex(of: .plain(1)) == 2)
    #expect(PrivateAction._caseIndex(of: .tapped(1)) == 0)
  }

  @Test func genericAndNestedEnums() {
    typealias Root = Generic<Int, CancellationError>
    #expect(Root.value(3)[case: \.value] == 3)
    #expect(Root.nested(.deep(4))[case: \.nested.deep] == 4)
    #expect(Root.pair(1, again: 2)[case: \.pair]?.again == 2)
    #expect(Root.failure(CancellationError()).is(\.failure))
  }

  @Test func namesThatMeanOtherTypesInASequence() {
    #expect(Shadowing.root(.init())[case: \.root] == .init())
    #expect(Shadowing.several(.init(), own: [])[case: \.several]?.own == [])
    #expect(RootAction.root(.tapped)[case: \.root] == .tapped)
    #expect(RootAction.own(.element(Element())).is(\.own))
  }

  @Test func keywordsAsNames() {
    #expect(Keywords.default.is(\.default))
    #expect(Keywords.case(1)[case: \.case] == 1)
    #expect(Keywords.in(for: 1, where: "w")[case: \.in]?.where == "w")
    #expect(Keywords.`init`(2)[case: \.`init`] == 2)
    #expect(Keywords.none.is(\.none))
    #expect(Keywords.some(1)[case: \.some] == 1)
    #expect(Keywords.makeIterator(1)[case: \.makeIterator] == 1)
    #expect(Keywords.map(1)[case: \.map] == 1)
    #expect(Keywords.`two words`(7)[case: \.`two words`] == 7)
    #expect(Array(Keywords.allCasePaths).count == 11)
  }

  @Test func payloadsOfAnyKind() {
    #expect(Payloads.run { "\($0)" }[case: \.run]?(3) == "3")
    #expect(Payloads.optional(nil)[case: \.optional] == .some(nil))
    #expect(Payloads.optional(nil).is(\.optional))
    #expect(Payloads.tuple((1, "a"))[case: \.tuple]?.1 == "a")
    #expect(Payloads.withDefault()[case: \.withDefault]?.name == "n")
    #expect(Payloads.unlabelled(4)[case: \.unlabelled] == 4)
    #expect(Payloads.wildcard(1, b: 2)[case: \.wildcard]?.b == 2)
    #expect(Payloads.own(.optional(5))[case: \.own.optional] == 5)
    #expect(Payloads.existential(CancellationError()).is(\.existential))
    #expect(Payloads.array([.void(())]).is(\.array))
    #expect(Payloads.dictionary([:]).is(\.dictionary))
    #expect(Payloads.metatype(Int.self).is(\.metatype))
  }

  @Test func everyAccessLevel() {
    #expect(FileprivateAction.tapped(.tapped(2))[case: \.tapped.tapped] == 2)
    #expect(PackageAction.tapped(1)[case: \.tapped] == 1)
    #expect(PackageAction.InExtension.tapped(1)[case: \.tapped] == 1)
  }

  @Test func manyCases() {
    #expect(Array(Many.allCasePaths).count == 60)
    #expect(Many.allCasePaths[.c59] == \.c59)
    #expect(Many.c39(3)[case: \.c39] == 3)
  }
}
