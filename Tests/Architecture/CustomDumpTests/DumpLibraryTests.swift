import CustomDump
import Testing

@Suite struct DumpLibraryTests {
  @Test func numbersAndBooleans() {
    #expect(dumped(42) == "42")
    #expect(dumped(UInt8(7)) == "7")
    #expect(dumped(0.5) == "0.5")
    #expect(dumped(Float(1)) == "1.0")
    #expect(dumped(true) == "true")
  }

  @Test func texts() {
    #expect(dumped("Blob") == "\"Blob\"")
    #expect(dumped("a \"b\"\tc") == "#\"a \"b\"\tc\"#")
    #expect(dumped("Blob".dropFirst()) == "\"lob\"")
    #expect(dumped("©" as Character) == "\"©\"")
    #expect(dumped("a" as Unicode.Scalar) == "\"a\"")
    #expect(dumped("Blob" as StaticString) == "\"Blob\"")
  }

  @Test func ranges() {
    #expect(dumped(1...3) == "1...3")
    #expect(dumped(1..<3) == "1..<3")
    #expect(dumped(Box(value: 1..<3)) == "Box(value: 1..<3)")
  }

  @Test func durations() {
    #expect(dumped(Duration.seconds(90)) == "1 minute, 30 seconds")
    #expect(dumped(Duration.milliseconds(-1)) == "-1 millisecond")
    #expect(dumped(Duration.zero) == "0 seconds")
    #expect(dumped(Box(value: Duration.seconds(1140))) == "Box(value: 19 minutes)")
  }

  @Test func typesAndFunctions() {
    #expect(dumped(Space.Cell.self) == "Space.Cell.self")
    #expect(dumped([Box<Int?>].self) == "Array<Box<Int?>>.self")
    #expect(dumped([[Int?]: [String: Int]].self) == "[[Int?]: [String: Int]].self")
    #expect(dumped(Result<[(Int, String)], any Error>?.self) == "Optional<Result<[(Int, String)], Error>>.self")
    #expect(dumped((Int, x: String).self) == "(Int, x: String).self")
    #expect(dumped(((Int) -> String).self) == "(Int) -> String.self")
    #expect(dumped(Any.self) == "Any.self")
    let function: (Int) -> Int = { $0 }
    #expect(dumped(Box(value: function)) == "Box(value: (Function))")
  }

  @Test func localAndPrivateTypes() {
    struct Local {}
    #expect(dumped(Local()) == "DumpLibraryTests.Local()")
    #expect(dumped(Hidden()) == "Hidden()")
    #expect(dumped(Box<Hidden>.self) == "Box<Hidden>.self")
  }

  @Test func typeErasureDoesNotShow() {
    #expect(dumped(AnyHashable(42)) == "42")
    #expect(dumped(AnyHashable(Shape2.a)) == "Shape2.a")
  }

  @Test func identifiers() {
    let text = dumped(ObjectIdentifier(Int.self))
    #expect(text.hasPrefix("ObjectIdentifier(0x") && text.hasSuffix(")"))
  }

  @Test func keyPaths() {
    #expect(dumped(\User.name) == "\\User.name")
    #expect(dumped(\Pair.driver.name) == "\\Pair.driver.name")
    #expect(dumped(\Space.Cell.x) == "\\Space.Cell.x")
    #expect(dumped(\Box<Int>.value) == "\\Box<Int>.value")
    #expect(dumped(\User.self) == "\\User.self")
    #expect(dumped(Box(value: \User.id)) == "Box(value: \\User.id)")
    // The runtime has no name for this one.
    #expect(dumped(\User.name.count) == "KeyPath<User, Int>")
  }
}

private struct Hidden {}
private enum Shape2: Hashable { case a }
