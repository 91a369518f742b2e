import Testing

@testable import MacroExpansions

@Suite struct ReplicatedExpansionTests {
  @Test func fieldsWithinConditionsAreRefused() {
    expectComplaint(
      """
      @Replicated struct State {
        var count = 0
        #if DEBUG
          static let limit = 3
          var next: Int { count + 1 }
          var debugged = 0
        #elseif os(Linux)
          #if DEBUG
            let inner: Int
          #endif
          lazy var slow = 1
        #endif
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: [6, 9, 11].map { line in
        """
        \(line):\(line == 9 ? 7 : 5): error: A field within '#if' cannot be replicated: both ends must have the same \
        fields; mark it '@Replicated(omit)' and give it a default
        """
      }.joined(separator: "\n"))
  }

  @Test func casesWithinConditionsAreRefused() {
    expectComplaint(
      """
      @Replicated enum Action {
        case one
        #if DEBUG
          case two
        #endif
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        1:18: error: Cases within '#if' cannot be replicated: both ends must have the same cases
        """)
  }

  @Test func aValueThatIsKeptElsewhereIsNoPartOfTheHubsState() {
    let advice = """
      keeps its value in this process or in a file, outside the hub's state and journal. To share it with all clients, \
      make it a plain 'var' with a default; mark it '@Replicated(omit)' only if each process is to have a value of its own
      """
    expectComplaint(
      """
      @Replicated struct State {
        @Shared(.fileStorage(.todos)) var todos: [Int] = []
        @Sharing.SharedReader var limit: Int
        @Dependency(\\.date) var date
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        2:37: error: 'todos' cannot be replicated: '@Shared' \(advice)
          fix: Remove '@Shared'
        3:29: error: 'limit' cannot be replicated: '@SharedReader' \(advice)
          fix: Remove '@SharedReader'
        4:27: error: 'date' cannot be replicated: a dependency is no part of the state; mark it '@Replicated(omit)'
        """,
      fixed: """
        @Replicated struct State {
          var todos: [Int] = []
          var limit: Int
          @Dependency(\\.date) var date
        }
        """)
  }

  @Test func anOmittedFieldNeedsADefaultAtItsOwnLine() {
    func complaint(_ place: String, _ name: String) -> String {
      "\(place): error: '\(name)' is omitted, so it needs a default for values that were read, such as '= …' here"
    }
    expectComplaint(
      """
      @Replicated struct State {
        @Replicated(omit) var log: [String]
        @Replicated(omit) let start: Int
        @Replicated(omit) @Shared var count: Int?
        @Replicated(omit) var note: String?
        @Replicated(omit) @Shared(.inMemory("size")) var size: Int
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: [complaint("2:25", "log"), complaint("3:25", "start"), complaint("4:33", "count")].joined(separator: "\n"))
  }

  @Test func nothingFollowsTheLargestKey() {
    expectComplaint(
      """
      @Replicated struct State {
        @ReplicatedKey(18446744073709551615) var last = 0
        var next = 0
        @ReplicatedKey(18446744073709551615) var again = 0
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        3:7: error: 'next' follows the largest key; give it another one with '@ReplicatedKey'
        4:44: error: 'again' has the key 18446744073709551615, which 'last' has already; give it another one with \
        '@ReplicatedKey(0)'
        """)
  }
}
