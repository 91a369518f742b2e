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
          fix: Mark it '@Replicated(omit)'
        """
      }.joined(separator: "\n"),
      fixed: """
        @Replicated struct State {
          var count = 0
          #if DEBUG
            static let limit = 3
            var next: Int { count + 1 }
            @Replicated(omit) var debugged = 0
          #elseif os(Linux)
            #if DEBUG
              @Replicated(omit) let inner: Int
            #endif
            @Replicated(omit) lazy var slow = 1
          #endif
        }
        """)
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
          fix: Mark it '@Replicated(omit)'
        """,
      fixed: """
        @Replicated struct State {
          var todos: [Int] = []
          var limit: Int
          @Replicated(omit) @Dependency(\\.date) var date
        }
        """)
  }

  @Test func formerNamesThatCannotBeAreRefused() {
    expectComplaint(
      """
      @Replicated struct State {
        @Replicated(was: "amount", "count") var quantity = 0
        @Replicated(was: "quantity") var count = 0
        @Replicated(was: old) var name = ""
        @Replicated(was: "title") var text = ""
        @Replicated(was: "title") var label = ""
        @Replicated(was: "x", "x") var place = 0
        @Replicated(was: "y") var width = 0, height = 0
        @Replicated(was: "") var depth = 0
        @Replicated(was: "scale") var scale = 0
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        2:30: error: 'quantity' cannot have been 'count', which is the name of another field now
        3:15: error: 'count' cannot have been 'quantity', which is the name of another field now
        4:15: error: A former name is a text in quotes: '@Replicated(was: "oldName")'
        6:15: error: 'title' is a former name of 'text' already; it belongs to one field
        7:25: error: 'x' is named twice
        8:3: error: '@Replicated(was:)' belongs to one field: split the declaration
        8:3: error: '@Replicated(was:)' belongs to one field: split the declaration
        9:15: error: A former name is a text in quotes: '@Replicated(was: "oldName")'
        10:15: error: 'scale' cannot have been 'scale', which is the name that it has now
        """)
    expectComplaint(
      """
      @Replicated enum Action {
        @Replicated(was: "add") case added, removed
        @Replicated(was: "added") case cleared
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        2:3: error: '@Replicated(was:)' belongs to one case: split the declaration
        2:3: error: '@Replicated(was:)' belongs to one case: split the declaration
        3:15: error: 'cleared' cannot have been 'added', which is the name of another case now
        """)
  }

  @Test func formerNamesAreDeclaredInTheSchema() {
    let state = Expansion(
      """
      @Replicated struct State {
        @Replicated(was: "count", "old \\"count\\"") var `repeat` = 0
        @ReplicatedKey(7) @Replicated(was: "title") var name = ""
        @Replicated(omit) var cache = 0
      }
      """, "Replicated", as: ReplicatedMacro.self)
    #expect(state.diagnostics == "")
    #expect(state.text.contains(#"fields.was(["count", "old \"count\""], key: 0)"#), "\(state.text)")
    #expect(state.text.contains(#"fields.was(["title"], key: 7)"#))
    let action = Expansion(
      "@Replicated enum Action {\n  case reset\n  @Replicated(was: \"add\") case added(Int)\n}", "Replicated",
      as: ReplicatedMacro.self)
    #expect(action.diagnostics == "")
    #expect(action.text.contains(#"cases.was(["add"], key: 1)"#), "\(action.text)")
  }

  @Test func formerNamesBelongToFieldsAndCases() {
    expectComplaint(
      "@Replicated(was: \"reduce\") func update() {}", "Replicated", as: ReplicatedFieldMacro.self,
      is: "1:1: error: '@Replicated(was: \"reduce\")' can only be applied to a field or a case")
    expectComplaint(
      "enum Action {\n  @Replicated(was: \"add\") case added\n}", "Replicated", as: ReplicatedFieldMacro.self, is: "")
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
      is: [
        complaint("2:25", "log"), "  fix: Add '= []'", complaint("3:25", "start"), "  fix: Add '= 0'",
        complaint("4:33", "count"), "  fix: Add '= nil'",
      ].joined(separator: "\n"),
      fixed: """
        @Replicated struct State {
          @Replicated(omit) var log: [String] = []
          @Replicated(omit) let start: Int = 0
          @Replicated(omit) @Shared var count: Int? = nil
          @Replicated(omit) var note: String?
          @Replicated(omit) @Shared(.inMemory("size")) var size: Int
        }
        """)
  }

  @Test func formsOfFieldsThatCannotTravelAreFixed() {
    expectComplaint(
      """
      @Replicated struct State {
        // The version.
        public let version = 1
        var run: () -> Void = {}
        lazy var slow = 1
        @Replicated(omit) var names: [Int: String]
        @Replicated(omit) var when: Date
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        3:14: error: 'let version' has its value already, so none can be read into it; make it a 'var', or mark it \
        '@Replicated(omit)'
          fix: Make it a 'var'
        4:7: error: 'run' cannot be replicated: it is a function. Or mark it '@Replicated(omit)' and give it a default
          fix: Mark it '@Replicated(omit)'
        5:3: error: A lazy field has no value until somebody asks; mark it '@Replicated(omit)' or make it a plain 'var'
          fix: Mark it '@Replicated(omit)'
        6:25: error: 'names' is omitted, so it needs a default for values that were read, such as '= …' here
          fix: Add '= [:]'
        7:25: error: 'when' is omitted, so it needs a default for values that were read, such as '= …' here
        """,
      fixed: """
        @Replicated struct State {
          // The version.
          public var version = 1
          @Replicated(omit) var run: () -> Void = {}
          @Replicated(omit) lazy var slow = 1
          @Replicated(omit) var names: [Int: String] = [:]
          @Replicated(omit) var when: Date
        }
        """)
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
        3:7: error: 'next' follows the largest key; give it another one with '@ReplicatedKey(0)'
          fix: Mark it '@ReplicatedKey(0)'
        4:44: error: 'again' has the key 18446744073709551615, which 'last' has already; give it another one with \
        '@ReplicatedKey(1)'
          fix: Give it the key 1
        """,
      fixed: """
        @Replicated struct State {
          @ReplicatedKey(18446744073709551615) var last = 0
          @ReplicatedKey(0) var next = 0
          @ReplicatedKey(1) var again = 0
        }
        """)
  }

  /// One error for each cause: what follows is read as if the fix had been made.
  @Test func keysThatClashAreFixed() {
    expectComplaint(
      """
      @Replicated struct State {
        @ReplicatedKey(5) var first = 0
        // The second.
        @ReplicatedKey(4) public var second = 0
        public var third = 0
        var fourth = 0
        @ReplicatedKey(7) var fifth = 0
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        5:14: error: 'third' has the key 5, which 'first' has already; give it another one with '@ReplicatedKey(8)'
          fix: Mark it '@ReplicatedKey(8)'
        """,
      fixed: """
        @Replicated struct State {
          @ReplicatedKey(5) var first = 0
          // The second.
          @ReplicatedKey(4) public var second = 0
          @ReplicatedKey(8) public var third = 0
          var fourth = 0
          @ReplicatedKey(7) var fifth = 0
        }
        """)
    expectComplaint(
      """
      @Replicated enum Action {
        case first
        @ReplicatedKey(0) case second(Int)
        case third
      }
      """, "Replicated", as: ReplicatedMacro.self,
      is: """
        3:26: error: 'second' has the key 0, which 'first' has already; give it another one with '@ReplicatedKey(1)'
          fix: Give it the key 1
        """,
      fixed: """
        @Replicated enum Action {
          case first
          @ReplicatedKey(1) case second(Int)
          case third
        }
        """)
  }

  @Test func aPublicStateWithoutAPublicInitializerIsRemarked() {
    let expansion = Expansion(
      """
      @Reducer public struct Feature {
        @Replicated public struct State {
          public var count = 0
          var name: String?

          var isEmpty: Bool { count == 0 }
        }
      }
      """, "Replicated", as: ReplicatedMacro.self)
    #expect(
      expansion.diagnostics == """
        2:29: remark: 'State' is public, but has no public initializer, so other modules, such as a hub's program, \
        cannot create it
          fix: Add 'public init() {}'
        """)
    #expect(
      expansion.fixed == """
        @Reducer public struct Feature {
          @Replicated public struct State {
            public var count = 0
            var name: String?

            public init() {}

            var isEmpty: Bool { count == 0 }
          }
        }
        """)
    func diagnostics(_ source: String) -> String {
      Expansion(source, "Replicated", as: ReplicatedMacro.self).diagnostics
    }
    // Without a default, only its author knows the parameters.
    let state = diagnostics("@Reducer public struct Feature { @Replicated public struct State { var id: Int } }")
    #expect(state.contains("remark: 'State' is public") && !state.contains("fix:"))
    #expect(diagnostics("@Replicated public struct Model { public var items: [Int] = [] }").contains("fix: Add"))
    for source in [
      "@Replicated public struct Model { public var items: [Int] = []; public init() {} }",
      "@Replicated public struct Item { public var id: Int }",
      "@Replicated struct Model { var items: [Int] = [] }",
      "@Reducer struct Feature { @Replicated public struct State { public var id: Int } }",
      "public struct Model { @Replicated public struct Item { public var title = \"\" } }",
    ] {
      #expect(diagnostics(source) == "", "\(source)")
    }
  }
}
