import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct ViewActionExpansionTests {
  @Test func conformance() {
    expectExpansion(
      """
      @ViewAction(for: Feature.self) struct Screen {
        let store: StoreOf<Feature>
        func tap() { send(.tapped) }
      }
      """, "ViewAction", as: ViewActionMacro.self, adding: ["ViewActionSending"],
      is: """
        struct Screen {
          let store: StoreOf<Feature>
          func tap() { send(.tapped) }
        }
        extension Screen: ComposableCore.ViewActionSending {
        }
        """)
  }

  @Test func aStoreIsNeeded() {
    expectComplaint(
      """
      @ViewAction(for: Feature.self) struct Screen {
        let model: Model
      }
      """, "ViewAction", as: ViewActionMacro.self, adding: ["ViewActionSending"],
      is: """
        1:1: error: '@ViewAction' requires 'Screen' to have a 'store' property of type 'Store'.
        """)
  }

  @Test func noWayAround() {
    expectComplaint(
      """
      @ViewAction(for: Feature.self) struct Screen {
        var store: StoreOf<Feature>
        func tap() {
          store.send(.view(.tapped), animation: .default)
          self.store.send( .view(.moved(to: 3)) )
          store.send(.other)
        }
      }
      """, "ViewAction", as: ViewActionMacro.self, adding: ["ViewActionSending"],
      is: """
        4:5: warning: Do not use 'store.send' directly when using '@ViewAction'; use 'send' instead
          fix: Call 'send' directly with a view action
        5:5: warning: Do not use 'store.send' directly when using '@ViewAction'; use 'send' instead
          fix: Call 'send' directly with a view action
        6:5: warning: Do not use 'store.send' directly when using '@ViewAction'
        """,
      fixed: """
        @ViewAction(for: Feature.self) struct Screen {
          var store: StoreOf<Feature>
          func tap() {
            send(.tapped, animation: .default)
            send( .moved(to: 3))
            store.send(.other)
          }
        }
        """)
  }
}
