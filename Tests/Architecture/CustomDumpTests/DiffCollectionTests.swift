import CustomDump
import Testing

@Suite struct DiffCollectionTests {
  @Test func neighboursThatAreEqualAreCounted() {
    #expect(
      diff([1, 2, 3, 4, 5], [1, 2, 3, 6, 5]) == """
          [
            … (3 unchanged),
        -   [3]: 4,
        +   [3]: 6,
            [4]: 5
          ]
        """)
    #expect(
      diff([1, 2, 3], [1, 2]) == """
          [
            … (2 unchanged)
        -   [2]: 3
          ]
        """)
    #expect(
      diff([1, 2], [1, 3, 4]) == """
          [
            [0]: 1,
        -   [1]: 2,
        +   [1]: 3,
        +   [2]: 4
          ]
        """)
  }

  @Test func changesInSeveralPlaces() {
    let old = Array(1...1_000)
    var new = old
    new[100] = 42
    new[102] = 42
    new.insert(42, at: 300)
    new.remove(at: 700)
    #expect(
      diff(old, new) == """
          [
            … (100 unchanged),
        -   [100]: 101,
        +   [100]: 42,
            [101]: 102,
        -   [102]: 103,
        +   [102]: 42,
            … (197 unchanged),
        +   [300]: 42,
            … (399 unchanged),
        -   [699]: 700,
            … (300 unchanged)
          ]
        """)
  }

  @Test func eachSideHasItsOwnIndices() {
    #expect(
      diff([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 4, 64, 7, 8, 9, 10, 42]) == """
          [
            [0]: 1,
        -   [1]: 2,
        -   [2]: 3,
            [1]: 4,
        -   [4]: 5,
        +   [2]: 64,
        -   [5]: 6,
            … (4 unchanged),
        +   [7]: 42
          ]
        """)
  }

  @Test func elementsWithAnIDAreFoundAgain() {
    #expect(
      diff(
        [User(id: 1, name: "A"), User(id: 2, name: "B"), User(id: 3, name: "C")],
        [User(id: 1, name: "Z"), User(id: 3, name: "C"), User(id: 4, name: "D")]
      ) == """
          [
            [0]: User(
              id: 1,
        -     name: "A"
        +     name: "Z"
            ),
        -   [1]: User(
        -     id: 2,
        -     name: "B"
        -   ),
            [1]: User(…),
        +   [2]: User(
        +     id: 4,
        +     name: "D"
        +   )
          ]
        """)
  }

  @Test func anElementThatMovedShowsItsNewIndex() {
    #expect(
      diff([User(id: 1, name: "A"), User(id: 2, name: "B")], [User(id: 2, name: "C")]) == """
          [
        -   [0]: User(
        -     id: 1,
        -     name: "A"
        -   ),
            [0]: User(
              id: 2,
        -     name: "B"
        +     name: "C"
            )
          ]
        """)
  }

  @Test func anotherIDIsAnotherElement() {
    #expect(
      diff([User(id: 1, name: "A")], [User(id: 2, name: "A")]) == """
          [
        -   [0]: User(
        -     id: 1,
        -     name: "A"
        -   )
        +   [0]: User(
        +     id: 2,
        +     name: "A"
        +   )
          ]
        """)
  }

  @Test func elementsWithoutAnIDAreComparedInTheirPlace() {
    #expect(
      diff([Point(x: 1, y: 1), Point(x: 2, y: 2)], [Point(x: 1, y: 1), Point(x: 2, y: 3)]) == """
          [
            [0]: Point(…),
            [1]: Point(
              x: 2,
        -     y: 2
        +     y: 3
            )
          ]
        """)
  }

  @Test func fromAndToNothing() {
    #expect(
      diff([], [1]) == """
          [
        +   [0]: 1
          ]
        """)
    #expect(
      diff(Box(value: [1, 2]), Box(value: [])) == """
        - Box(
        -   value: [
        -     [0]: 1,
        -     [1]: 2
        -   ]
        - )
        + Box(value: [])
        """)
  }

  @Test func objectsInArrays() {
    let (a, b, c) = (Doctor(name: "A"), Doctor(name: "B"), Doctor(name: "C"))
    #expect(
      diff([a, b, b], [a, b, c]) == """
          [
            … (2 unchanged),
        -   [2]: Doctor(
        -     name: "B",
        -     field: "Podiatry"
        -   )
        +   [2]: #1 Doctor(
        +     name: "C",
        +     field: "Podiatry"
        +   )
          ]
        """)
  }

  @Test func elementsOfSeveralTypes() {
    let (old, new): ([Any], [Any]) = ([1, Shape.none, Space.Cell(x: 1)], [1, Shape.none, "x", Space.Cell(x: 1)])
    #expect(
      diff(old, new) == """
          [
            … (2 unchanged),
        +   [2]: "x",
            [3]: Space.Cell(x: 1)
          ]
        """)
  }

  @Test func dictionariesShowTheirChangesFirst() {
    #expect(
      diff(
        [1: User(id: 1, name: "A"), 2: User(id: 2, name: "B"), 4: User(id: 4, name: "D")],
        [1: User(id: 1, name: "A"), 2: User(id: 2, name: "Z"), 3: User(id: 3, name: "C")]
      ) == """
          [
            2: User(
              id: 2,
        -     name: "B"
        +     name: "Z"
            ),
        +   3: User(
        +     id: 3,
        +     name: "C"
        +   ),
        -   4: User(
        -     id: 4,
        -     name: "D"
        -   ),
            … (1 unchanged)
          ]
        """)
  }

  @Test func dictionariesOfManyEntries() {
    let old = Dictionary(uniqueKeysWithValues: (1...1_000).map { ($0, "\($0)") })
    var new = old
    new[100] = "42"
    new[700] = nil
    #expect(
      diff(old, new) == """
          [
        -   100: "100",
        +   100: "42",
        -   700: "700",
            … (998 unchanged)
          ]
        """)
  }

  @Test func dictionariesOfAnything() {
    #expect(
      diff(
        [AnyHashable(1): Point(x: 1, y: 1), "a": Point(x: 1, y: 1)],
        [AnyHashable(1): Point(x: 1, y: 2), "a": Point(x: 2, y: 1)]
      ) == """
          [
            "a": Point(
        -     x: 1,
        +     x: 2,
              y: 1
            ),
            1: Point(
              x: 1,
        -     y: 1
        +     y: 2
            )
          ]
        """)
  }

  @Test func orderedDictionariesAreComparedInTheirOrder() {
    #expect(
      diff(Ordered(pairs: ["c": 1, "b": 2, "a": 3]), Ordered(pairs: ["c": 1, "b": 2, "a": 4, "d": 5])) == """
          [
            … (2 unchanged),
        -   "a": 3,
        +   "a": 4,
        +   "d": 5
          ]
        """)
    #expect(
      diff(Ordered(pairs: ["a": Point(x: 1, y: 1)]), Ordered(pairs: ["a": Point(x: 1, y: 2)])) == """
          [
            "a": Point(
              x: 1,
        -     y: 1
        +     y: 2
            )
          ]
        """)
    #expect(
      diff(Ordered(pairs: ["a": 1]), Ordered(pairs: ["b": 1])) == """
          [
        -   "a": 1
        +   "b": 1
          ]
        """)
  }

  @Test func sets() {
    #expect(
      diff(Set([1, 2, 3]), Set([1, 3, 4])) == """
          Set([
        -   2,
        +   4,
            … (2 unchanged)
          ])
        """)
    #expect(
      diff(Set([1]), Set([2])) == """
          Set([
        -   1
        +   2
          ])
        """)
  }

  @Test func setsFindTheirElementsByID() {
    struct Row: Hashable, Identifiable {
      var id: Int
      var name: String
    }
    #expect(
      diff(Set([Row(id: 1, name: "A"), Row(id: 2, name: "B")]), [Row(id: 1, name: "Z"), Row(id: 2, name: "B")]) == """
          Set([
            DiffCollectionTests.Row(
              id: 1,
        -     name: "A"
        +     name: "Z"
            ),
            … (1 unchanged)
          ])
        """)
  }

  @Test func deepChanges() {
    struct Tree: Equatable {
      var name: String
      var children: [Tree] = []
    }
    let old = Tree(name: "a", children: [Tree(name: "b", children: [Tree(name: "c")])])
    var new = old
    new.children[0].children[0].name = "d"
    #expect(
      diff(old, new) == """
          DiffCollectionTests.Tree(
            name: "a",
            children: [
              [0]: DiffCollectionTests.Tree(
                name: "b",
                children: [
                  [0]: DiffCollectionTests.Tree(
        -           name: "c",
        +           name: "d",
                    children: []
                  )
                ]
              )
            ]
          )
        """)
  }
}
