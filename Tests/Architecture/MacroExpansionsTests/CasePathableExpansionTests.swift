import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct CasePathableExpansionTests {
  @Test func casesBecomeProperties() {
    expectExpansion(
      """
      @CasePathable public enum Action {
        case quit
        case select(Int), rename(id: Int, _ name: String)
        case again(Self.ID)
      }
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        public enum Action {
          case quit
          case select(Int), rename(id: Int, _ name: String)
          case again(Self.ID)
          public struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
            public subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
              if case .quit = root {
                return \\.quit
              }
              if case .select = root {
                return \\.select
              }
              if case .rename = root {
                return \\.rename
              }
              if case .again = root {
                return \\.again
              }
              preconditionFailure("every value is of some case")
            }
            public var quit: CasePaths.AnyCasePath<Action, Void> {
              CasePaths.AnyCasePath(embed: {
                  Action.quit
                }, extract: {
                  guard case .quit = $0 else {
                    return nil
                  }
                  return ()
                })
            }
            public var select: CasePaths.AnyCasePath<Action, Int> {
              CasePaths.AnyCasePath(_case: Action.select, extract: {
                  guard case let .select(v0) = $0 else {
                    return nil
                  }
                  return v0
                })
            }
            public var rename: CasePaths.AnyCasePath<Action, (id: Int, String)> {
              CasePaths.AnyCasePath(embed: {
                  Action.rename(id: $0.0, $0.1)
                }, extract: {
                  guard case let .rename(v0, v1) = $0 else {
                    return nil
                  }
                  return (v0, v1)
                })
            }
            public var again: CasePaths.AnyCasePath<Action, Action.ID> {
              CasePaths.AnyCasePath(_case: Action.again, extract: {
                  guard case let .again(v0) = $0 else {
                    return nil
                  }
                  return v0
                })
            }
            public func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
              let paths: [CasePaths.PartialCaseKeyPath<Action>] = [\\.quit, \\.select, \\.rename, \\.again]
              return paths.makeIterator()
            }
          }
          public static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
          public static func _caseIndex(of value: Self) -> Int? {
            if case .quit = value {
              return 0
            }
            if case .select = value {
              return 1
            }
            if case .rename = value {
              return 2
            }
            if case .again = value {
              return 3
            }
            preconditionFailure("every value is of some case")
          }
          public static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
            if case let .select(v0) = value {
              return index == 1 ? v0 as? _Payload : nil
            }
            if case let .again(v0) = value {
              return index == 3 ? v0 as? _Payload : nil
            }
            return nil
          }
        }
        extension Action: CasePaths.CasePathable, CasePaths.CasePathIterable {
        }
        """)
  }

  @Test func conditionsAreKept() {
    expectExpansion(
      """
      @CasePathable enum Action {
        case always
        #if DEBUG
          case debug(Int)
        #else
          case release
        #endif
      }
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        enum Action {
          case always
          #if DEBUG
            case debug(Int)
          #else
            case release
          #endif
          struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
            subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
              if case .always = root {
                return \\.always
              }
              #if DEBUG
              if case .debug = root {
                return \\.debug
              }
              #else
              if case .release = root {
                return \\.release
              }
              #endif
              preconditionFailure("every value is of some case")
            }
            var always: CasePaths.AnyCasePath<Action, Void> {
              CasePaths.AnyCasePath(embed: {
                  Action.always
                }, extract: {
                  guard case .always = $0 else {
                    return nil
                  }
                  return ()
                })
            }
            #if DEBUG
            var debug: CasePaths.AnyCasePath<Action, Int> {
              CasePaths.AnyCasePath(_case: Action.debug, extract: {
                  guard case let .debug(v0) = $0 else {
                    return nil
                  }
                  return v0
                })
            }
            #else
            var release: CasePaths.AnyCasePath<Action, Void> {
              CasePaths.AnyCasePath(embed: {
                  Action.release
                }, extract: {
                  guard case .release = $0 else {
                    return nil
                  }
                  return ()
                })
            }
            #endif
            func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
              var paths: [CasePaths.PartialCaseKeyPath<Action>] = []
              paths.append(\\.always)
              #if DEBUG
              paths.append(\\.debug)
              #else
              paths.append(\\.release)
              #endif
              return paths.makeIterator()
            }
          }
          static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
          static func _caseIndex(of value: Self) -> Int? {
            if case .always = value {
              return 0
            }
            #if DEBUG
            if case .debug = value {
              return 1
            }
            #else
            if case .release = value {
              return 2
            }
            #endif
            preconditionFailure("every value is of some case")
          }
          static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
            #if DEBUG
            if case let .debug(v0) = value {
              return index == 1 ? v0 as? _Payload : nil
            }
            #else
            #endif
            return nil
          }
        }
        extension Action: CasePaths.CasePathable, CasePaths.CasePathIterable {
        }
        """)
  }

  @Test func genericEnumsWithShadowedNames() {
    expectExpansion(
      """
      @available(macOS 14, *) @CasePathable package enum Tree<Element> {
        case leaf(Element)
      }
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        @available(macOS 14, *) package enum Tree<Element> {
          case leaf(Element)
          package struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
            package subscript(root: _$CasePayloads._$Root) -> CasePaths.PartialCaseKeyPath<_$CasePayloads._$Root> {
              if case .leaf = root {
                return \\.leaf
              }
              preconditionFailure("every value is of some case")
            }
            package var leaf: CasePaths.AnyCasePath<_$CasePayloads._$Root, _$CasePayloads._$Payload0> {
              CasePaths.AnyCasePath(_case: _$CasePayloads._$Root.leaf, extract: {
                  guard case let .leaf(v0) = $0 else {
                    return nil
                  }
                  return v0
                })
            }
            package func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<_$CasePayloads._$Root>]> {
              let paths: [CasePaths.PartialCaseKeyPath<_$CasePayloads._$Root>] = [\\.leaf]
              return paths.makeIterator()
            }
          }
          package static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
          package static func _caseIndex(of value: Self) -> Int? {
            if case .leaf = value {
              return 0
            }
            preconditionFailure("every value is of some case")
          }
          package static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
            if case let .leaf(v0) = value {
              return index == 0 ? v0 as? _Payload : nil
            }
            return nil
          }
          package enum _$CasePayloads {
            package typealias _$Root = Tree<Element>
            package typealias _$Payload0 = Element
          }
        }
        @available(macOS 14, *)
        extension Tree: CasePaths.CasePathable, CasePaths.CasePathIterable {
        }
        """)
  }

  @Test func deprecatedCases() {
    expectExpansion(
      """
      @CasePathable private enum Action {
        @available(*, deprecated) case old
      }
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        private enum Action {
          @available(*, deprecated) case old
          struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
            @available(*, deprecated, message: "Some of the cases are deprecated")
            subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
              if case .old = root {
                return \\.old
              }
              preconditionFailure("every value is of some case")
            }
            @available(*, deprecated)
            var old: CasePaths.AnyCasePath<Action, Void> {
              CasePaths.AnyCasePath(embed: {
                  Action.old
                }, extract: {
                  guard case .old = $0 else {
                    return nil
                  }
                  return ()
                })
            }
            @available(*, deprecated, message: "Some of the cases are deprecated")
            func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
              let paths: [CasePaths.PartialCaseKeyPath<Action>] = [\\.old]
              return paths.makeIterator()
            }
          }
          static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
          @available(*, deprecated, message: "Some of the cases are deprecated")
          static func _caseIndex(of value: Self) -> Int? {
            if case .old = value {
              return 0
            }
            preconditionFailure("every value is of some case")
          }
        }
        extension Action: CasePaths.CasePathable, CasePaths.CasePathIterable {
        }
        """)
  }

  @Test func noCases() {
    expectExpansion(
      """
      @CasePathable enum Action {}
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        enum Action {
          struct AllCasePaths: Sendable, Sequence {
            func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
              let paths: [CasePaths.PartialCaseKeyPath<Action>] = []
              return paths.makeIterator()
            }
          }
          static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
        }
        extension Action: CasePaths.CasePathable, CasePaths.CasePathIterable {
        }
        """)
  }

  @Test func conformanceThatIsThere() {
    expectExpansion(
      """
      @CasePathable enum Action { case a }
      """, "CasePathable", as: CasePathableMacro.self,
      is: """
        enum Action { case a 
          struct AllCasePaths: CasePaths.CasePathReflectable, Sendable, Sequence {
            subscript(root: Action) -> CasePaths.PartialCaseKeyPath<Action> {
              if case .a = root {
                return \\.a
              }
              preconditionFailure("every value is of some case")
            }
            var a: CasePaths.AnyCasePath<Action, Void> {
              CasePaths.AnyCasePath(embed: {
                  Action.a
                }, extract: {
                  guard case .a = $0 else {
                    return nil
                  }
                  return ()
                })
            }
            func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<Action>]> {
              let paths: [CasePaths.PartialCaseKeyPath<Action>] = [\\.a]
              return paths.makeIterator()
            }
          }
          static var allCasePaths: AllCasePaths {
            AllCasePaths()
          }
          static func _caseIndex(of value: Self) -> Int? {
            if case .a = value {
              return 0
            }
            preconditionFailure("every value is of some case")
          }
        }
        """)
  }

  @Test func onlyEnums() {
    expectComplaint(
      """
      @CasePathable struct Action {}
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        1:1: error: '@CasePathable' cannot be applied to struct type 'Action'
        """)
  }

  @Test func noOverloads() {
    expectComplaint(
      """
      @CasePathable enum Action {
        case move(x: Int)
        case move(y: Int)
      }
      """, "CasePathable", as: CasePathableMacro.self, adding: ["CasePathable", "CasePathIterable"],
      is: """
        3:8: error: '@CasePathable' cannot be applied to overloaded case name 'move'
        """)
  }
}
