import CustomDump
import Testing

@Suite struct DumpTests {
  @Test func structuresHaveALineForEachField() {
    #expect(
      dumped(Pair(driver: User(id: 1, name: "Blob"), passenger: User(id: 2, name: "Blob Jr."))) == """
        Pair(
          driver: User(
            id: 1,
            name: "Blob"
          ),
          passenger: User(
            id: 2,
            name: "Blob Jr."
          )
        )
        """)
  }

  @Test func oneSimpleFieldStaysOnTheLine() {
    #expect(dumped(Space.Cell(x: 0)) == "Space.Cell(x: 0)")
    #expect(dumped(Box(value: [Int]())) == "Box(value: [])")
    #expect(dumped(Box<Int?>(value: nil)) == "Box(value: nil)")
    #expect(dumped(Box<Secret?>(value: Secret(value: "x"))) == "Box(value: <redacted>)")
    #expect(dumped(Box<Tagged<Int>?>(value: Tagged(rawValue: 1))) == "Box(value: 1)")
  }

  /// The original counts the wrapped value as a part of the optional.
  @Test func aPresentOptionalDoesNot() {
    #expect(dumped(Box<Int?>(value: 1)) == "Box(\n  value: 1\n)")
    #expect(dumped(Optional<Int>?.some(1) as Any) == "1")
    #expect(dumped(Result<Int?, any Error>.success(1)) == "Result.success(\n  1\n)")
    #expect(diff(Box<Int?>(value: 1), Box(value: 2)) == "  Box(\n-   value: 1\n+   value: 2\n  )")
  }

  @Test func oneNestedFieldDoesNot() {
    #expect(
      dumped(Box(value: [1])) == """
        Box(
          value: [
            [0]: 1
          ]
        )
        """)
    #expect(
      dumped(Result<Result<Int, any Error>, any Error>.success(.success(42))) == """
        Result.success(
          .success(42)
        )
        """)
  }

  @Test func emptyStructures() {
    struct Nothing {}
    #expect(dumped(Nothing()) == "DumpTests.Nothing()")
    #expect(dumped([Int]()) == "[]")
    #expect(dumped([Int: Int]()) == "[:]")
    #expect(dumped(Set<Int>()) == "Set([])")
    #expect(dumped(()) == "()")
    #expect(dumped("") == "\"\"")
  }

  @Test func arraysHaveIndices() {
    #expect(
      dumped(["a", "b"]) == """
        [
          [0]: "a",
          [1]: "b"
        ]
        """)
    #expect(
      dumped([10, 20, 30][1...]) == """
        [
          [0]: 20,
          [1]: 30
        ]
        """)
  }

  @Test func dictionariesAreInTheOrderOfTheirKeys() {
    #expect(
      dumped([3: "c", 1: "a", 2: "b"]) == """
        [
          1: "a",
          2: "b",
          3: "c"
        ]
        """)
    #expect(
      dumped(["b": Point(x: 1, y: 2), "a": Point(x: 3, y: 4)], maxDepth: 1) == """
        [
          "a": Point(…),
          "b": Point(…)
        ]
        """)
  }

  @Test func anOrderedDictionaryKeepsItsOrder() {
    #expect(
      dumped(Ordered(pairs: ["b": 1, "a": 2])) == """
        [
          "b": 1,
          "a": 2
        ]
        """)
  }

  @Test func keysOfAnyTypeAreDumpedToo() {
    #expect(
      dumped([AnyHashable(1): true, AnyHashable("one"): false]) == """
        [
          "one": false,
          1: true
        ]
        """)
    enum Key: Hashable { case first, second(Int) }
    #expect(
      dumped([Key.first: 1, .second(2): 2]) == """
        [
          .first: 1,
          .second(2): 2
        ]
        """)
  }

  @Test func setsAreInTheOrderOfTheirElements() {
    #expect(
      dumped(Set([3, 1, 2])) == """
        Set([
          1,
          2,
          3
        ])
        """)
  }

  @Test func casesHaveTheirTypeOnlyAtTheRoot() {
    #expect(dumped(Shape.none) == "Shape.none")
    #expect(dumped(Shape.circle(1)) == "Shape.circle(1.0)")
    #expect(dumped(Shape.square(side: 2)) == "Shape.square(side: 2.0)")
    #expect(dumped(Box(value: Shape.none)) == "Box(value: .none)")
    #expect(
      dumped([Shape.none, .square(side: 2)]) == """
        [
          [0]: .none,
          [1]: .square(side: 2.0)
        ]
        """)
  }

  @Test func casesWithSeveralValues() {
    #expect(
      dumped(Shape.rectangle(width: 1, height: 2)) == """
        Shape.rectangle(
          width: 1.0,
          height: 2.0
        )
        """)
    #expect(
      dumped(Shape.polygon(5, name: "house")) == """
        Shape.polygon(
          5,
          name: "house"
        )
        """)
    #expect(
      dumped(Shape.group(.polygon(5, name: "house"))) == """
        Shape.group(
          .polygon(
            5,
            name: "house"
          )
        )
        """)
  }

  @Test func aCaseOfNothing() {
    enum Load { case loaded(()) }
    #expect(dumped(Load.loaded(())) == "DumpTests.Load.loaded(())")
  }

  @Test func aCaseWithoutAValueIsItsDescription() {
    enum Loud: CustomStringConvertible {
      case quiet
      var description: String { "LOUD" }
    }
    #expect(dumped(Loud.quiet) == "DumpTests.Loud.LOUD")
  }

  @Test func optionalsDoNotShow() {
    #expect(dumped(User?.none as Any) == "nil")
    #expect(dumped(Int??.some(.some(1)) as Any) == "1")
    #expect(dumped(Box<Shape?>(value: .circle(1)), maxDepth: 0) == "Box(…)")
    #expect(dumped(Box<Shape?>(value: Shape.none)) == "Box(\n  value: .none\n)")
  }

  @Test func tuplesWithAndWithoutLabels() {
    #expect(
      dumped((x: 1, y: 2, ())) == """
        (
          x: 1,
          y: 2,
          ()
        )
        """)
    #expect(
      dumped((1, "a")) == """
        (
          1,
          "a"
        )
        """)
  }

  @Test func theDepthIsLimited() {
    let pair = Pair(driver: User(id: 1, name: "Blob"), passenger: User(id: 2, name: "Blob Jr."))
    #expect(dumped(pair, maxDepth: 0) == "Pair(…)")
    #expect(
      dumped(pair, maxDepth: 1) == """
        Pair(
          driver: User(…),
          passenger: User(…)
        )
        """)
    #expect(dumped([1], maxDepth: 0) == "[…]")
    #expect(dumped(Set([1]), maxDepth: 0) == "Set([…])")
    #expect(dumped((1, 2), maxDepth: 0) == "(…)")
    #expect(dumped("a\nb", maxDepth: 0) == "\"…\"")
    #expect(dumped(Shape.rectangle(width: 1, height: 2), maxDepth: 0) == "Shape.rectangle(…)")
  }

  @Test func macroStorageIsHiddenButUnderscoresStay() {
    struct Registrar: Equatable {}
    struct State {
      var _count = 1
      var _name: String?
      let _$observationRegistrar = Registrar()
    }
    #expect(
      dumped(State()) == """
        DumpTests.State(
          _count: 1,
          _name: nil
        )
        """)
  }

  /// The original counts the fields before it hides some of them.
  @Test func oneFieldBesideMacroStorageHasALine() {
    struct State {
      var _count = 1
      let _$observationRegistrar = true
    }
    #expect(dumped(State()) == "DumpTests.State(\n  _count: 1\n)")
    #expect(diff(State(), State(_count: 2)) == "  DumpTests.State(\n-   _count: 1\n+   _count: 2\n  )")
  }

  @Test func typesDecideOnTheirDump() {
    #expect(dumped(Secret(value: "x")) == "<redacted>")
    #expect(dumped(Tagged(rawValue: 42)) == "42")
    #expect(dumped(Tagged(rawValue: Tagged(rawValue: Shape.none))) == "Shape.none")
    #expect(
      dumped(Login(password: "x")) == """
        Login(
          email: "blob@example.com",
          password: <redacted>
        )
        """)
  }

  @Test func aMirrorMayMakeACase() {
    struct Button: CustomDumpReflectable {
      var customDumpMirror: Mirror {
        Mirror(self, children: ["cancel": (action: Int?.none, label: "Cancel")], displayStyle: .enum)
      }
    }
    #expect(
      dumped(Button()) == """
        DumpTests.Button.cancel(
          action: nil,
          label: "Cancel"
        )
        """)
  }

  @Test func aDescriptionOfSeveralLinesIsIndented() {
    struct Lines: CustomDumpStringConvertible {
      var customDumpDescription: String { "one\ntwo" }
    }
    #expect(
      dumped(Box(value: Lines())) == """
        Box(
          value: one
          two
        )
        """)
  }

  @Test func namesAndIndentation() {
    var text = ""
    let value = customDump(Point(x: 1, y: 2), to: &text, name: "point", indent: 2)
    #expect(value == Point(x: 1, y: 2))
    #expect(text == "  point: Point(\n    x: 1,\n    y: 2\n  )")
    #expect(String(customDumping: 1) == "1")
    #expect(String(customDumping: 1, name: "one") == "one: 1")
  }
}
