import CustomDump
import Testing

@Suite struct DumpClassTests {
  @Test func fieldsOfTheSuperclassComeFirst() {
    #expect(
      dumped(Doctor(name: "John")) == """
        Doctor(
          name: "John",
          field: "Podiatry"
        )
        """)
    #expect(dumped(Doctor(name: "John"), maxDepth: 0) == "Doctor(…)")
  }

  @Test func anObjectWithinItselfIsNotDumpedAgain() {
    let link = Link()
    link.next = link
    #expect(
      dumped(link) == """
        Link(
          next: Link(↩︎)
        )
        """)
    link.next = nil
  }

  @Test func objectsOfATypeAreNumberedFromTheSecondOn() {
    let (first, second) = (Person(name: "A"), Person(name: "B"))
    #expect(
      dumped([first, second, first, second]) == """
        [
          [0]: Person(name: "A"),
          [1]: #1 Person(name: "B"),
          [2]: Person(↩︎),
          [3]: #1 Person(↩︎)
        ]
        """)
    #expect(
      dumped([first, Doctor(name: "C")]) == """
        [
          [0]: Person(name: "A"),
          [1]: Doctor(
            name: "C",
            field: "Podiatry"
          )
        ]
        """)
  }

  @Test func aPathBackHasTheNumberOfItsObject() {
    let (first, second) = (Link(), Link())
    (first.next, second.next) = (second, first)
    #expect(
      dumped(first) == """
        Link(
          next: #1 Link(
            next: Link(↩︎)
          )
        )
        """)
    first.next = nil
  }

  @Test func actorsShowTheirState() {
    actor Counter { var count = 1 }
    #expect(dumped(Counter()) == "DumpClassTests.Counter(count: 1)")
  }

  @Test func existentialsShowWhatTheyHold() {
    let object: AnyObject = Person(name: "A")
    #expect(dumped(object) == "Person(name: \"A\")")
    let anything: [Any] = [1, "a", Shape.none, Person(name: "B")]
    #expect(
      dumped(anything) == """
        [
          [0]: 1,
          [1]: "a",
          [2]: .none,
          [3]: Person(name: "B")
        ]
        """)
  }
}
