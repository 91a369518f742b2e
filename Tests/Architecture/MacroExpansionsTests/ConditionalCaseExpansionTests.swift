import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

/// Cases of an enum reducer that exist only under a condition of the build.
@Suite struct ConditionalCaseExpansionTests {
  @Test func conditionsAreKept() {
    expectExpansion(
      """
      @Reducer enum Path {
        #if DEBUG
          case debug(Debug)
        #endif
        case end
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        enum Path {
          #if DEBUG
            case debug(Debug)
          #endif
          case end
          @dynamicMemberLookup
          enum State: ComposableCore.CaseReducerState, CasePaths.CasePathIterable, Observation.Observable {
            typealias StateReducer = Path
            #if DEBUG
            case debug(Debug.State)
            #endif
            case end
            struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              subscript(root: State) -> CasePaths.PartialCaseKeyPath<State> {
                #if DEBUG
                if case .debug = root {
                  return \\.debug
                }
                #endif
                if case .end = root {
                  return \\.end
                }
                preconditionFailure("every value is of some case")
              }
              #if DEBUG
              var debug: CasePaths.AnyCasePath<State, Debug.State> {
                CasePaths.AnyCasePath(_case: State.debug, extract: {
                    guard case let .debug(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              #endif
              var end: CasePaths.AnyCasePath<State, Void> {
                CasePaths.AnyCasePath(embed: {
                    State.end
                  }, extract: {
                    guard case .end = $0 else {
                      return nil
                    }
                    return ()
                  })
              }
              func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<State>]> {
                var paths: [CasePaths.PartialCaseKeyPath<State>] = []
                #if DEBUG
                paths.append(\\.debug)
                #endif
                paths.append(\\.end)
                return paths.makeIterator()
              }
            }
            static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            static func _caseIndex(of value: Self) -> Int? {
              #if DEBUG
              if case .debug = value {
                return 0
              }
              #endif
              if case .end = value {
                return 1
              }
              preconditionFailure("every value is of some case")
            }
            static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              #if DEBUG
              if case let .debug(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              #endif
              return nil
            }
            var _$id: ComposableCore.ObservableStateID {
              switch self {
              #if DEBUG
              case let .debug(state):
                return ._$id(for: state)._$tag(0)
              #endif
              case .end:
                return ComposableCore.ObservableStateID._$inert._$tag(1)
              }
            }
            mutating func _$willModify() {
              switch self {
              #if DEBUG
              case var .debug(state):
                if ComposableCore._$willModify(&state) {
                  self = .debug(state)
                }
              #endif
              case .end:
                break
              }
            }
          }
          enum Action: CasePaths.CasePathable, CasePaths.CasePathIterable {
            #if DEBUG
            case debug(Debug.Action)
            #endif
            struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
                #if DEBUG
                if case .debug = root {
                  return \\.debug
                }
                #endif
                preconditionFailure("every value is of some case")
              }
              #if DEBUG
              var debug: CasePaths.AnyCasePath<Action, Debug.Action> {
                CasePaths.AnyCasePath(_case: Action.debug, extract: {
                    guard case let .debug(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              #endif
              func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
                var paths: [CasePaths.PartialCaseKeyPath<Action>] = []
                #if DEBUG
                paths.append(\\.debug)
                #endif
                return paths.makeIterator()
              }
            }
            static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            static func _caseIndex(of value: Self) -> Int? {
              #if DEBUG
              if case .debug = value {
                return 0
              }
              #endif
              preconditionFailure("every value is of some case")
            }
            static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              #if DEBUG
              if case let .debug(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              #endif
              return nil
            }
          }
          static var body: ComposableCore._CaseReducers<Self.State, Self.Action> {
            return ComposableCore._CaseReducers {
              #if DEBUG
              ComposableCore.Scope(state: \\Self.State.Cases.debug, action: \\Self.Action.Cases.debug) {
                Debug()
              }
              #endif
            }
          }
          @dynamicMemberLookup
          enum CaseScope: CasePaths.CasePathable, CasePaths.CasePathIterable {
            #if DEBUG
            case debug(ComposableCore.StoreOf<Debug>)
            #endif
            case end
            struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              subscript(root: CaseScope) -> CasePaths.PartialCaseKeyPath<CaseScope> {
                #if DEBUG
                if case .debug = root {
                  return \\.debug
                }
                #endif
                if case .end = root {
                  return \\.end
                }
                preconditionFailure("every value is of some case")
              }
              #if DEBUG
              var debug: CasePaths.AnyCasePath<CaseScope, ComposableCore.StoreOf<Debug>> {
                CasePaths.AnyCasePath(_case: CaseScope.debug, extract: {
                    guard case let .debug(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              #endif
              var end: CasePaths.AnyCasePath<CaseScope, Void> {
                CasePaths.AnyCasePath(embed: {
                    CaseScope.end
                  }, extract: {
                    guard case .end = $0 else {
                      return nil
                    }
                    return ()
                  })
              }
              func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<CaseScope>]> {
                var paths: [CasePaths.PartialCaseKeyPath<CaseScope>] = []
                #if DEBUG
                paths.append(\\.debug)
                #endif
                paths.append(\\.end)
                return paths.makeIterator()
              }
            }
            static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            static func _caseIndex(of value: Self) -> Int? {
              #if DEBUG
              if case .debug = value {
                return 0
              }
              #endif
              if case .end = value {
                return 1
              }
              preconditionFailure("every value is of some case")
            }
            static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              #if DEBUG
              if case let .debug(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              #endif
              return nil
            }
          }
          @MainActor
          static func scope(_ store: ComposableCore.Store<Self.State, Self.Action>) -> CaseScope {
            switch store.state {
            #if DEBUG
            case .debug:
              return .debug(store.scope(state: \\.debug, action: \\.debug)!)
            #endif
            case .end:
              return .end
            }
          }
        }
        extension Path: ComposableCore.CaseReducer, ComposableCore._CaseReducerCore, ComposableCore.Reducer {
        }
        """)
  }
}
