import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct ReducerExpansionTests {
  /// The conformances that the macro may add, as it declares them.
  private static let all: [TypeSyntax] = [
    "Reducer", "CaseReducer", "_CaseReducerCore", "_DefaultState", "_DefaultAction", "_DefaultBody",
  ]

  @Test func whatIsMissingIsWritten() {
    expectExpansion(
      """
      @Reducer public struct Feature {}
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        public struct Feature {
          @ObservableState
          public struct State: Codable, Equatable, Hashable, Sendable {
            public init() {
            }
          }
          @CasePathable
          public enum Action: Equatable, Hashable, Sendable {
          }
          public let body = ComposableCore.EmptyReducer<State, Action>()
        }
        extension Feature: ComposableCore.Reducer {
        }
        """)
  }

  @Test func partsGetAttributes() {
    expectExpansion(
      """
      @Reducer struct Feature {
        enum State { case a }
        @CasePathable enum Action { case b }
        var body: some ReducerOf<Self> { EmptyReducer() }
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        struct Feature {
          @CasePathable @dynamicMemberLookup
          enum State { case a 
        }
          @CasePathable enum Action { case b 
        }
          @ComposableCore.ReducerBuilder<Self.State, Self.Action>
          var body: some ReducerOf<Self> { EmptyReducer() }
        }
        extension Feature: ComposableCore.Reducer {
        }
        """)
  }

  @Test func bodiesSayTheirState() {
    expectExpansion(
      """
      @Reducer struct Feature {
        struct State {}
        enum Action { case b }
        var body: some Reducer<State, Action> { EmptyReducer() }
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        struct Feature {
          struct State {}
          @CasePathable
          enum Action { case b 
        }
          @ComposableCore.ReducerBuilder<State, Action>
          var body: some Reducer<State, Action> { EmptyReducer() }
        }
        extension Feature: ComposableCore.Reducer {
        }
        """)
  }

  @Test func partsThatMayBeInExtensions() {
    expectExpansion(
      """
      @Reducer struct Feature {
        var body: some ReducerOf<Feature> { EmptyReducer() }
      }
      """, "Reducer", as: ReducerMacro.self, adding: Self.all,
      is: """
        struct Feature {
          @ComposableCore.ReducerBuilder<Feature.State, Feature.Action>
          var body: some ReducerOf<Feature> { EmptyReducer() }
        }
        extension Feature: ComposableCore.Reducer, ComposableCore._DefaultState, ComposableCore._DefaultAction {
        }
        """)
  }

  @Test func bodiesThatMayBeInExtensions() {
    expectExpansion(
      """
      @available(macOS 14, *) @Reducer struct Feature {
        struct State {}
        enum Action {}
      }
      """, "Reducer", as: ReducerMacro.self, adding: Self.all,
      is: """
        @available(macOS 14, *) struct Feature {
          struct State {}
          @CasePathable
          enum Action {}
        }
        @available(macOS 14, *)
        extension Feature: ComposableCore.Reducer, ComposableCore._DefaultBody {
        }
        """)
  }

  @Test func partsOfAStructThatStatesTheProtocol() {
    expectExpansion(
      """
      @Reducer struct Feature: Reducer {
        struct State {}
        enum Action {}
      }
      """, "Reducer", as: ReducerMacro.self, adding: Self.all.filter { $0.description != "Reducer" },
      is: """
        struct Feature: Reducer {
          struct State {}
          @CasePathable
          enum Action {}
        }
        extension Feature: ComposableCore._DefaultBody {
        }
        """)
  }

  @Test func noClasses() {
    expectComplaint(
      """
      @Reducer class Feature {}
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        1:1: error: '@Reducer' can only be applied to struct and enum types
        """)
  }

  @Test func bodyOrReduce() {
    expectComplaint(
      """
      @Reducer struct Feature {
        struct State {}
        enum Action {}
        var body: some ReducerOf<Self> { EmptyReducer() }
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
        // A part of the actions.
        func reduce(into state: inout State, action: Action.View) -> Effect<Action> { .none }
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        5:8: warning: A 'reduce' method should not be defined in a reducer with a 'body'; it takes precedence and 'body' will never be invoked
        """)
  }

  @Test func bodiesThatSayNoState() {
    expectComplaint(
      """
      @Reducer struct Feature {
        struct State {}
        enum Action {}
        var body: some Reducer { EmptyReducer() }
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        4:18: warning: 'body' says neither state nor action; write 'some ReducerOf<Self>'
          fix: Write 'ReducerOf<Self>'
        """,
      fixed: """
        @Reducer struct Feature {
          struct State {}
          enum Action {}
          var body: some ReducerOf<Self> { EmptyReducer() }
        }
        """)
  }
}
