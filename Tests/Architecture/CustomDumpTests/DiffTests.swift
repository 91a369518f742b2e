import CustomDump
import Testing

@Suite struct DiffTests {
  @Test func equalValuesDoNotDiffer() {
    #expect(diff(1, 1) == nil)
    #expect(diff("a", "a") == nil)
    #expect(diff(User?.none, nil) == nil)
    #expect(diff((1, (2, 3)), (1, (2, 3))) == nil)
    #expect(diff((1, ()), (1, ())) == nil)
    #expect(diff((1, 2) as Any, (1, 2) as Any) == nil)
    #expect(diff(Shape.square(side: 1), .square(side: 1)) == nil)
    #expect(diff(Space.Cell(x: 1), Space.Cell(x: 1)) == nil)
    #expect(diff([1: 2] as [Int: Any], [1: 2]) == nil)
    #expect(diff(Int.self as Any.Type, Int.self) == nil)
    #expect(diff(Person.self as AnyObject.Type, Person.self) == nil)
    let person = Person(name: "A")
    #expect(diff(person, person) == nil)
  }

  @Test func simpleValues() {
    #expect(diff(1, 2) == "- 1\n+ 2")
    #expect(diff(true, false) == "- true\n+ false")
    #expect(diff(Space.Cell.self as Any.Type, Space.self) == "- Space.Cell.self\n+ Space.self")
  }

  @Test func aChangedFieldIsShownAmongTheOthers() {
    #expect(
      diff(User(id: 42, name: "Blob"), User(id: 42, name: "Blob Jr.")) == """
          User(
            id: 42,
        -   name: "Blob"
        +   name: "Blob Jr."
          )
        """)
  }

  @Test func unchangedStructuresAreShortened() {
    let driver = User(id: 1, name: "Blob")
    #expect(
      diff(
        Pair(driver: driver, passenger: User(id: 2, name: "A")), Pair(driver: driver, passenger: User(id: 2, name: "B"))
      ) == """
          Pair(
            driver: User(…),
            passenger: User(
              id: 2,
        -     name: "A"
        +     name: "B"
            )
          )
        """)
  }

  @Test func unchangedPartsOfEachKindAreShortened() {
    struct State {
      var shape: Shape = .rectangle(width: 1, height: 2)
      var simple: Shape = .circle(1)
      var array = [1, 2]
      var dictionary = [1: 2]
      var set: Set = [1]
      var tuple = (1, 2)
      var id = Tagged(rawValue: [1])
      var optional: User? = User(id: 1, name: "Blob")
      var empty: [Int] = []
      var count = 0
    }
    #expect(
      diff(State(), State(count: 1)) == """
          DiffTests.State(
            shape: .rectangle(…),
            simple: .circle(1.0),
            array: […],
            dictionary: […],
            set: Set([…]),
            tuple: (…),
            id: […],
            optional: User(…),
            empty: [],
        -   count: 0
        +   count: 1
          )
        """)
  }

  @Test func oneSimpleFieldIsReplacedWithItsLine() {
    #expect(diff(Space.Cell(x: 0), Space.Cell(x: 1)) == "- Space.Cell(x: 0)\n+ Space.Cell(x: 1)")
    #expect(diff(Shape.circle(0), .circle(1)) == "- Shape.circle(0.0)\n+ Shape.circle(1.0)")
    #expect(
      diff(Shape.group(.none), .group(.circle(1))) == """
        - Shape.group(.none)
        + Shape.group(
        +   .circle(1.0)
        + )
        """)
  }

  @Test func casesOfTheSameName() {
    #expect(
      diff(Shape.polygon(5, name: "a"), .polygon(5, name: "b")) == """
          Shape.polygon(
            5,
        -   name: "a"
        +   name: "b"
          )
        """)
    #expect(
      diff(Shape.group(.polygon(5, name: "a")), .group(.polygon(5, name: "b"))) == """
          Shape.group(
            .polygon(
              5,
        -     name: "a"
        +     name: "b"
            )
          )
        """)
  }

  @Test func casesOfDifferentNames() {
    #expect(diff(Shape.none, .circle(1)) == "- Shape.none\n+ Shape.circle(1.0)")
    #expect(
      diff(Box(value: (1, Shape.none)), Box(value: (1, .circle(2)))) == """
          Box(
            value: (
              1,
        -     .none
        +     .circle(2.0)
            )
          )
        """)
  }

  @Test func optionals() {
    #expect(
      diff(User?.some(User(id: 1, name: "Blob")), nil) == """
        - User(
        -   id: 1,
        -   name: "Blob"
        - )
        + nil
        """)
    #expect(
      diff(Point?.some(Point(x: 1, y: 1)), Point(x: 1, y: 2)) == """
          Point(
            x: 1,
        -   y: 1
        +   y: 2
          )
        """)
  }

  @Test func tuples() {
    #expect(
      diff((x: 1, (2, 3)), (x: 0, (2, 3))) == """
          (
        -   x: 1,
        +   x: 0,
            (…)
          )
        """)
    #expect(
      diff((1, (2, 3)) as Any, "Blob") == """
        - (
        -   1,
        -   (
        -     2,
        -     3
        -   )
        - )
        + "Blob"
        """)
  }

  @Test func onlyTheTypesDiffer() {
    #expect(diff(29.99 as Float as Any, 29.99 as Double) == "- 29.99 as Float\n+ 29.99 as Double")
    #expect(
      diff(["value": Float(1)] as [String: Any], ["value": 1.0]) == """
          [
        -   "value": 1.0 as Float
        +   "value": 1.0 as Double
          ]
        """)
  }

  @Test func unequalWithoutAVisibleReason() {
    #expect(
      diff(Unequal(value: 1), Unequal(value: 1)) == """
          // Not equal but no difference detected:
        - Unequal(…)
        + Unequal(…)
        """)
    #expect(
      diff((1, Unequal(value: 1)), (1, Unequal(value: 1))) == """
          (
            1,
            // Not equal but no difference detected:
        -   Unequal(…)
        +   Unequal(…)
          )
        """)
  }

  @Test func typesDecideOnTheirDump() {
    #expect(diff(Tagged(rawValue: 1), Tagged(rawValue: 2)) == "- 1\n+ 2")
    #expect(
      diff(Login(password: "a"), Login(password: "b")) == """
          Login(
            email: "blob@example.com",
        -   password: <redacted>
        +   password: <redacted>
          )
        """)
  }

  @Test func macroStorageIsHidden() {
    struct State: Equatable {
      var _count = 0
      var _fact: String?
      var _$id = 0
    }
    #expect(
      diff(State(), State(_count: 1, _$id: 1), format: .proportional) == """
        \u{2007} DiffTests.State(
        −   _count: 0,
        +   _count: 1,
        \u{2007}   _fact: nil
        \u{2007} )
        """)
  }

  @Test func theStateOfAFeatureAsATestShowsIt() {
    enum CounterReducer {
      struct State: Equatable {
        var _count = 0
        var _numberFact: String?
        var _isLoadingFact = false
        var _isTimerOn = false
        var _history = [1, 2]
      }
    }
    var state = CounterReducer.State()
    state._count = 1
    state._history.append(3)
    #expect(
      diff(CounterReducer.State(), state, format: .proportional)?.replacing("\u{2007}", with: " ") == """
          DiffTests.CounterReducer.State(
        −   _count: 0,
        +   _count: 1,
            _numberFact: nil,
            _isLoadingFact: false,
            _isTimerOn: false,
            _history: [
              … (2 unchanged),
        +     [2]: 3
            ]
          )
        """)
  }

  @Test func formatsOfOnesOwn() {
    #expect(diff(1, 2, format: DiffFormat(first: "<", second: ">", both: "=")) == "< 1\n> 2")
    #expect(DiffFormat.default == DiffFormat(first: "-", second: "+", both: " "))
    #expect(DiffFormat.proportional == DiffFormat(first: "−", second: "+", both: "\u{2007}"))
  }

  @Test func differentObjectsAreShownInFull() {
    #expect(
      diff(Doctor(name: "A"), Doctor(name: "A")) == """
        - Doctor(
        -   name: "A",
        -   field: "Podiatry"
        - )
        + #1 Doctor(
        +   name: "A",
        +   field: "Podiatry"
        + )
        """)
    #expect(diff(Space.Node(x: 0), Space.Node(x: 1)) == "- Space.Node(x: 0)\n+ #1 Space.Node(x: 1)")
  }

  @Test func objectsThatWereShownKeepTheirNumber() {
    struct Three { var a: Person, b: Person, c: Person }
    let (a, b, c) = (Doctor(name: "A"), Doctor(name: "B"), Doctor(name: "C"))
    #expect(
      diff(Three(a: a, b: b, c: b), Three(a: a, b: b, c: c)) == """
          DiffTests.Three(
            a: Doctor(…),
            b: #1 Doctor(…),
        -   c: #1 Doctor(↩︎)
        +   c: #2 Doctor(
        +     name: "C",
        +     field: "Podiatry"
        +   )
          )
        """)
  }
}
