import CasePaths
import Testing

enum Shape: CasePathable, Equatable, Sendable {
  case circle(radius: Int)
  case group(Inner)
  case empty

  enum Inner: CasePathable, Equatable, Sendable {
    case label(String)
    case hole(Int)

    struct AllCasePaths: Sendable {
      var label: AnyCasePath<Inner, String> {
        AnyCasePath(embed: { .label($0) }, extract: { if case .label(let text) = $0 { text } else { nil } })
      }
      var hole: AnyCasePath<Inner, Int> {
        AnyCasePath(embed: { .hole($0) }, extract: { if case .hole(let size) = $0 { size } else { nil } })
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  struct AllCasePaths: Sendable {
    var circle: AnyCasePath<Shape, Int> {
      AnyCasePath(
        embed: { .circle(radius: $0) }, extract: { if case .circle(let radius) = $0 { radius } else { nil } })
    }
    var group: AnyCasePath<Shape, Inner> {
      AnyCasePath(embed: { .group($0) }, extract: { if case .group(let inner) = $0 { inner } else { nil } })
    }
    var empty: AnyCasePath<Shape, Void> {
      AnyCasePath(embed: { .empty }, extract: { if case .empty = $0 { () } else { nil } })
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

@Suite struct CasePathTests {
  @Test func aValueIsOfItsOwnCaseOnly() {
    let circle = Shape.circle(radius: 3)
    #expect(circle.is(\.circle))
    #expect(!circle.is(\.group))
    #expect(!circle.is(\.empty))
    #expect(Shape.empty.is(\.empty))
  }

  @Test func thePayloadIsThereForTheNamedCaseAndNilForOthers() {
    #expect(Shape.circle(radius: 3)[case: \.circle] == 3)
    #expect(Shape.empty[case: \.circle] == nil)
    #expect(Shape.group(.hole(1))[case: \.group] == .hole(1))
  }

  @Test func keyPathsReachThroughCasesWithinCases() {
    let shape = Shape.group(.label("a"))
    #expect(shape[case: \.group.label] == "a")
    #expect(shape[case: \.group.hole] == nil)
    #expect(shape.is(\.group.label))
    #expect(!Shape.empty.is(\.group.label))
  }

  @Test func embeddingAndExtractingUndoEachOther() {
    let hole = AnyCasePath<Shape, Int>(\.group.hole)
    #expect(hole.embed(7) == .group(.hole(7)))
    #expect(hole.embedding(7) == hole.embed(7))
    #expect(hole.extract(from: hole.embed(7)) == 7)
    // The same value in another case is not equal.
    #expect(hole.extract(from: .circle(radius: 7)) == nil)
  }

  @Test func theSameCaseHasTheSameKeyPath() {
    let first: CaseKeyPath<Shape, Int> = \.circle
    let second: CaseKeyPath<Shape, Int> = \.group.hole
    #expect(first == \.circle)
    #expect(first != second)
  }
}

@Test func selfIsTheWholeValue() {
  let path = AnyCasePath(\Optional<Int>.Cases.self)
  #expect(path.extract(from: 3) == .some(.some(3)))
  #expect(path.embed(4) == 4)
  #expect(Optional(3).is(\.self))
}

@CasePathable private enum Fizz: Equatable { case buzz(Buzz?) }
@CasePathable private enum Buzz: Equatable { case fizz(Int), other }

/// A case within an optional payload is a path to its value, or to an optional one.
@Test func pathsThroughOptionalPayloads() {
  let number: CaseKeyPath<Fizz, Int> = \.buzz.fizz
  #expect(Fizz.buzz(.fizz(1))[case: number] == 1)
  let optional: CaseKeyPath<Fizz, Int?> = \.buzz.fizz
  #expect(Fizz.buzz(.fizz(1))[case: optional] == .some(1))
  #expect(Fizz.buzz(.other)[case: optional] == Int??.none)
  #expect(Fizz.buzz(nil)[case: optional] == nil)
  #expect(optional(2) == .buzz(.fizz(2)) && optional(nil) == .buzz(nil))
  #expect(Fizz.buzz(.fizz(3)).is(\.buzz.fizz) && !Fizz.buzz(nil).is(\.buzz.fizz))
  let payload: Int? = Fizz.buzz(.fizz(4))[case: \.buzz.fizz]
  #expect(payload == 4)
}
