import ComposableArchitecture
import Testing

@testable import Wire

/// Which parts of a state contain all that it presents.
@Suite struct PresentedPartTests {
  @Replicated
  struct Tab: Equatable, Sendable {
    var count = 0
    @PresentationState var note: Int?
  }

  @Replicated
  struct Row: Equatable, Identifiable, Sendable {
    let id: Int
    @PresentationState var note: Int?
  }

  @Replicated
  struct Tabs: Equatable, Sendable {
    var count = 0
    var first = Tab()
    var second = Tab()
  }

  @Replicated
  struct Table: Equatable, Sendable {
    var count = 0
    var rows: IdentifiedArrayOf<Row> = []
  }

  private func covers<State: Replicated>(_: State.Type, _ paths: [PathStep]...) -> Bool {
    Schema(state: State.self, action: Never.self).hasPresentations(allWithin: paths)
  }

  @Test func theWholeStateContainsThem() {
    #expect(covers(Tabs.self, []) && covers(Table.self, [], [0]))
    #expect(!covers(Tabs.self) && !covers(Int.self, []))
  }

  @Test func allPartsWithPresentationsAreNeeded() {
    #expect(covers(Tabs.self, [1], [2]) && covers(Tabs.self, [1, 1], [2, 1]))
    #expect(!covers(Tabs.self, [1]) && !covers(Tabs.self, [0], [2]) && !covers(Tabs.self, [1, 0], [2]))
  }

  @Test func partsOfAPresentationOrOfACollectionAreNotEnough() {
    #expect(covers(Table.self, [1]))
    #expect(!covers(Table.self, [1, .id([1])]) && !covers(Tabs.self, [1, 1, 0], [2]))
  }
}
