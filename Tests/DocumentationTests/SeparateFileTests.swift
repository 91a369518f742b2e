import TestSupport
import Testing

/// Declarations whose use the compiler checks before it has read their own file.
@Suite(.timeLimit(.minutes(30)), .blocking) struct SeparateFileTests {
  // The compiler expanded the macro too late if a protocol of the conformance was not among those of the macro.
  @Test func anEnumReducerMayBeInAnotherFile() throws {
    let page = """
      <!-- code: name=rooms -->
      ```swift
      import ComposableArchitecture

      @Reducer struct Lamp {}
      @Reducer enum Rooms {
        case attic(Lamp)
        case kitchen(Lamp)
      }
      extension Rooms.State: Equatable, Sendable {}
      ```
      <!-- code: needs=rooms -->
      ```swift
      import ComposableArchitecture

      @Reducer struct House {
        @ObservableState struct State: Equatable {
          @Presents var room: Rooms.State?
        }
        enum Action {
          case room(PresentationAction<Rooms.Action>)
        }
        var body: some ReducerOf<Self> {
          EmptyReducer().ifLet(\\.$room, action: \\.room)
        }
      }
      ```
      """
    let blocks = CodeBlock.blocks(of: page, page: "page.md")
    try Compiler.check(try #require(blocks.last), among: blocks)
  }
}
