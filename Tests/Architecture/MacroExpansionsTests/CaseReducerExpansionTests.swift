import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct CaseReducerExpansionTests {
  @Test func everyKindOfCase() {
    expectExpansion(
      """
      @Reducer(state: .equatable, .sendable, action: .codable) public enum Destination {
        case alert(AlertState<Alert>)
        case edit(Edit), timer(feature: Timer = Timer(id: 1))
        @ReducerCaseIgnored case plain(Int, name: String)
        case sheet(Sheet.Body)
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        public enum Destination {
          case alert(AlertState<Alert>)
          case edit(Edit), timer(feature: Timer = Timer(id: 1))
          @ReducerCaseIgnored case plain(Int, name: String)
          case sheet(Sheet.Body)
          @dynamicMemberLookup
          public enum State: ComposableCore.CaseReducerState, CasePaths.CasePathIterable, Observation.Observable, Swift.Equatable, Swift.Sendable {
            public typealias StateReducer = Destination
            case alert(AlertState<Alert>)
            case edit(Edit.State)
            case timer(feature: Timer.State)
            case plain(Int, name: String)
            case sheet(Sheet.Body.State)
            public struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              public subscript(root: State) -> CasePaths.PartialCaseKeyPath<State> {
                if case .alert = root {
                  return \\.alert
                }
                if case .edit = root {
                  return \\.edit
                }
                if case .timer = root {
                  return \\.timer
                }
                if case .plain = root {
                  return \\.plain
                }
                if case .sheet = root {
                  return \\.sheet
                }
                preconditionFailure("every value is of some case")
              }
              public var alert: CasePaths.AnyCasePath<State, AlertState<Alert>> {
                CasePaths.AnyCasePath(_case: State.alert, extract: {
                    guard case let .alert(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var edit: CasePaths.AnyCasePath<State, Edit.State> {
                CasePaths.AnyCasePath(_case: State.edit, extract: {
                    guard case let .edit(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var timer: CasePaths.AnyCasePath<State, Timer.State> {
                CasePaths.AnyCasePath(_case: State.timer, extract: {
                    guard case let .timer(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var plain: CasePaths.AnyCasePath<State, (Int, name: String)> {
                CasePaths.AnyCasePath(embed: {
                    State.plain($0.0, name: $0.1)
                  }, extract: {
                    guard case let .plain(v0, v1) = $0 else {
                      return nil
                    }
                    return (v0, v1)
                  })
              }
              public var sheet: CasePaths.AnyCasePath<State, Sheet.Body.State> {
                CasePaths.AnyCasePath(_case: State.sheet, extract: {
                    guard case let .sheet(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<State>]> {
                let paths: [CasePaths.PartialCaseKeyPath<State>] = [\\.alert, \\.edit, \\.timer, \\.plain, \\.sheet]
                return paths.makeIterator()
              }
            }
            public static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            public static func _caseIndex(of value: Self) -> Int? {
              if case .alert = value {
                return 0
              }
              if case .edit = value {
                return 1
              }
              if case .timer = value {
                return 2
              }
              if case .plain = value {
                return 3
              }
              if case .sheet = value {
                return 4
              }
              preconditionFailure("every value is of some case")
            }
            public static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              if case let .alert(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              if case let .edit(v0) = value {
                return index == 1 ? v0 as? _Payload : nil
              }
              if case let .timer(v0) = value {
                return index == 2 ? v0 as? _Payload : nil
              }
              if case let .sheet(v0) = value {
                return index == 4 ? v0 as? _Payload : nil
              }
              return nil
            }
            public var _$id: ComposableCore.ObservableStateID {
              switch self {
              case let .alert(state):
                return ._$id(for: state)._$tag(0)
              case let .edit(state):
                return ._$id(for: state)._$tag(1)
              case let .timer(state):
                return ._$id(for: state)._$tag(2)
              case .plain:
                return ComposableCore.ObservableStateID._$unobservable._$tag(3)
              case let .sheet(state):
                return ._$id(for: state)._$tag(4)
              }
            }
            public mutating func _$willModify() {
              switch self {
              case var .alert(state):
                if ComposableCore._$willModify(&state) {
                  self = .alert(state)
                }
              case var .edit(state):
                if ComposableCore._$willModify(&state) {
                  self = .edit(state)
                }
              case var .timer(state):
                if ComposableCore._$willModify(&state) {
                  self = .timer(feature: state)
                }
              case .plain:
                break
              case var .sheet(state):
                if ComposableCore._$willModify(&state) {
                  self = .sheet(state)
                }
              }
            }
          }
          public enum Action: CasePaths.CasePathable, CasePaths.CasePathIterable, Swift.Codable {
            case alert(AlertState<Alert>.Action)
            case edit(Edit.Action)
            case timer(Timer.Action)
            case sheet(Sheet.Body.Action)
            public struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              public subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
                if case .alert = root {
                  return \\.alert
                }
                if case .edit = root {
                  return \\.edit
                }
                if case .timer = root {
                  return \\.timer
                }
                if case .sheet = root {
                  return \\.sheet
                }
                preconditionFailure("every value is of some case")
              }
              public var alert: CasePaths.AnyCasePath<Action, AlertState<Alert>.Action> {
                CasePaths.AnyCasePath(_case: Action.alert, extract: {
                    guard case let .alert(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var edit: CasePaths.AnyCasePath<Action, Edit.Action> {
                CasePaths.AnyCasePath(_case: Action.edit, extract: {
                    guard case let .edit(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var timer: CasePaths.AnyCasePath<Action, Timer.Action> {
                CasePaths.AnyCasePath(_case: Action.timer, extract: {
                    guard case let .timer(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var sheet: CasePaths.AnyCasePath<Action, Sheet.Body.Action> {
                CasePaths.AnyCasePath(_case: Action.sheet, extract: {
                    guard case let .sheet(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
                let paths: [CasePaths.PartialCaseKeyPath<Action>] = [\\.alert, \\.edit, \\.timer, \\.sheet]
                return paths.makeIterator()
              }
            }
            public static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            public static func _caseIndex(of value: Self) -> Int? {
              if case .alert = value {
                return 0
              }
              if case .edit = value {
                return 1
              }
              if case .timer = value {
                return 2
              }
              if case .sheet = value {
                return 3
              }
              preconditionFailure("every value is of some case")
            }
            public static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              if case let .alert(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              if case let .edit(v0) = value {
                return index == 1 ? v0 as? _Payload : nil
              }
              if case let .timer(v0) = value {
                return index == 2 ? v0 as? _Payload : nil
              }
              if case let .sheet(v0) = value {
                return index == 3 ? v0 as? _Payload : nil
              }
              return nil
            }
          }
          public static var body: ComposableCore._CaseReducers<Self.State, Self.Action> {
            return ComposableCore._CaseReducers {
              ComposableCore.Scope(state: \\Self.State.Cases.edit, action: \\Self.Action.Cases.edit) {
                Edit()
              }
              ComposableCore.Scope(state: \\Self.State.Cases.timer, action: \\Self.Action.Cases.timer) {
                Timer(id: 1)
              }
              ComposableCore.Scope(state: \\Self.State.Cases.sheet, action: \\Self.Action.Cases.sheet) {
                Sheet.body
              }
            }
          }
          @dynamicMemberLookup
          public enum CaseScope: CasePaths.CasePathable, CasePaths.CasePathIterable {
            case alert(AlertState<Alert>)
            case edit(ComposableCore.StoreOf<Edit>)
            case timer(ComposableCore.StoreOf<Timer>)
            case plain(Int, name: String)
            case sheet(ComposableCore.StoreOf<Sheet.Body>)
            public struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              public subscript(root: CaseScope) -> CasePaths.PartialCaseKeyPath<CaseScope> {
                if case .alert = root {
                  return \\.alert
                }
                if case .edit = root {
                  return \\.edit
                }
                if case .timer = root {
                  return \\.timer
                }
                if case .plain = root {
                  return \\.plain
                }
                if case .sheet = root {
                  return \\.sheet
                }
                preconditionFailure("every value is of some case")
              }
              public var alert: CasePaths.AnyCasePath<CaseScope, AlertState<Alert>> {
                CasePaths.AnyCasePath(_case: CaseScope.alert, extract: {
                    guard case let .alert(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var edit: CasePaths.AnyCasePath<CaseScope, ComposableCore.StoreOf<Edit>> {
                CasePaths.AnyCasePath(_case: CaseScope.edit, extract: {
                    guard case let .edit(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var timer: CasePaths.AnyCasePath<CaseScope, ComposableCore.StoreOf<Timer>> {
                CasePaths.AnyCasePath(_case: CaseScope.timer, extract: {
                    guard case let .timer(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public var plain: CasePaths.AnyCasePath<CaseScope, (Int, name: String)> {
                CasePaths.AnyCasePath(embed: {
                    CaseScope.plain($0.0, name: $0.1)
                  }, extract: {
                    guard case let .plain(v0, v1) = $0 else {
                      return nil
                    }
                    return (v0, v1)
                  })
              }
              public var sheet: CasePaths.AnyCasePath<CaseScope, ComposableCore.StoreOf<Sheet.Body>> {
                CasePaths.AnyCasePath(_case: CaseScope.sheet, extract: {
                    guard case let .sheet(v0) = $0 else {
                      return nil
                    }
                    return v0
                  })
              }
              public func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<CaseScope>]> {
                let paths: [CasePaths.PartialCaseKeyPath<CaseScope>] = [\\.alert, \\.edit, \\.timer, \\.plain, \\.sheet]
                return paths.makeIterator()
              }
            }
            public static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            public static func _caseIndex(of value: Self) -> Int? {
              if case .alert = value {
                return 0
              }
              if case .edit = value {
                return 1
              }
              if case .timer = value {
                return 2
              }
              if case .plain = value {
                return 3
              }
              if case .sheet = value {
                return 4
              }
              preconditionFailure("every value is of some case")
            }
            public static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
              if case let .alert(v0) = value {
                return index == 0 ? v0 as? _Payload : nil
              }
              if case let .edit(v0) = value {
                return index == 1 ? v0 as? _Payload : nil
              }
              if case let .timer(v0) = value {
                return index == 2 ? v0 as? _Payload : nil
              }
              if case let .sheet(v0) = value {
                return index == 4 ? v0 as? _Payload : nil
              }
              return nil
            }
          }
          @MainActor
          public static func scope(_ store: ComposableCore.Store<Self.State, Self.Action>) -> CaseScope {
            switch store.state {
            case let .alert(v0):
              return .alert(v0)
            case .edit:
              return .edit(store.scope(state: \\.edit, action: \\.edit)!)
            case .timer:
              return .timer(store.scope(state: \\.timer, action: \\.timer)!)
            case let .plain(v0, v1):
              return .plain(v0, name: v1)
            case .sheet:
              return .sheet(store.scope(state: \\.sheet, action: \\.sheet)!)
            }
          }
        }
        extension Destination: ComposableCore.CaseReducer, ComposableCore._CaseReducerCore, ComposableCore.Reducer {
        }
        """)
  }

  @Test func partsOfItsOwn() {
    expectExpansion(
      """
      @Reducer enum Path {
        case end
        enum State {}
        enum Action {}
        static var body: some ReducerOf<Self> { EmptyReducer() }
      }
      """, "Reducer", as: ReducerMacro.self, adding: ["Reducer", "CaseReducer"],
      is: """
        enum Path {
          case end
          @CasePathable @dynamicMemberLookup
          enum State {}
          @CasePathable
          enum Action {}
          static var body: some ReducerOf<Self> { EmptyReducer() }
          @dynamicMemberLookup
          enum CaseScope: CasePaths.CasePathable, CasePaths.CasePathIterable {
            case end
            struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
              subscript(root: CaseScope) -> CasePaths.PartialCaseKeyPath<CaseScope> {
                if case .end = root {
                  return \\.end
                }
                preconditionFailure("every value is of some case")
              }
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
                let paths: [CasePaths.PartialCaseKeyPath<CaseScope>] = [\\.end]
                return paths.makeIterator()
              }
            }
            static var allCasePaths: AllCasePaths {
              AllCasePaths()
            }
            static func _caseIndex(of value: Self) -> Int? {
              if case .end = value {
                return 0
              }
              preconditionFailure("every value is of some case")
            }
          }
          @MainActor
          static func scope(_ store: ComposableCore.Store<Self.State, Self.Action>) -> CaseScope {
            switch store.state {
            case .end:
              return .end
            }
          }
        }
        extension Path: ComposableCore.CaseReducer, ComposableCore._CaseReducerCore, ComposableCore.Reducer {
        }
        """)
  }

  @Test func marksAreForCases() {
    expectComplaint(
      """
      struct Path {
        @ReducerCaseIgnored var a = 1
      }
      """, "ReducerCaseIgnored", as: ReducerCaseMarkerMacro.self,
      is: """
        2:3: error: '@ReducerCaseIgnored' can only be applied to an enum's case
        """)
  }
}
