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
}
