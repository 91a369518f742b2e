import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct ObservableStateExpansionTests {
  @Test func structs() {
    expectExpansion(
      """
      @ObservableState public struct State {
        var count = 0
        let id: Int
        static var shared = 1
        lazy var slow = 2
        var doubled: Int { count * 2 }
        var observed = 0 { didSet {} }
        @ObservationStateIgnored var ignored = 1
        @Presents var alert: Alert?
        @Shared(.key) var common = 1
      }
      """, "ObservableState", as: ObservableStateMacro.self, adding: ["ObservableState", "Observable"],
      is: """
        public struct State {
          @ObservationStateTracked
          var count = 0
          let id: Int
          static var shared = 1
          lazy var slow = 2
          var doubled: Int { count * 2 }
          @ObservationStateTracked
          var observed = 0 { didSet {} }
          @ObservationStateIgnored var ignored = 1
          @Presents var alert: Alert?
          @Shared(.key) var common = 1
          var _$observationRegistrar = ComposableCore.ObservationStateRegistrar()
          public var _$id: ComposableCore.ObservableStateID {
            _$observationRegistrar.id
          }
          public mutating func _$willModify() {
            _$observationRegistrar._$willModify()
          }
        }
        nonisolated extension State: ComposableCore.ObservableState, Observation.Observable {
        }
        """)
  }

  @Test func enums() {
    expectExpansion(
      """
      @ObservableState enum State {
        case one(One)
        case labelled(two: Two), several(Int, Int)
        #if DEBUG
          case debug
        #endif
      }
      """, "ObservableState", as: ObservableStateMacro.self, adding: ["ObservableState", "Observable"],
      is: """
        enum State {
          case one(One)
          case labelled(two: Two), several(Int, Int)
          #if DEBUG
            case debug
          #endif
          var _$id: ComposableCore.ObservableStateID {
            switch self {
            case let .one(state):
              return ._$id(for: state)._$tag(0)
            case let .labelled(state):
              return ._$id(for: state)._$tag(1)
            case .several:
              return ComposableCore.ObservableStateID._$unobservable._$tag(2)
            #if DEBUG
            case .debug:
              return ComposableCore.ObservableStateID._$inert._$tag(3)
            #endif
            }
          }
          mutating func _$willModify() {
            switch self {
            case var .one(state):
              if ComposableCore._$willModify(&state) {
                self = .one(state)
              }
            case var .labelled(state):
              if ComposableCore._$willModify(&state) {
                self = .labelled(two: state)
              }
            case .several:
              break
            #if DEBUG
            case .debug:
              break
            #endif
            }
          }
        }
        nonisolated extension State: ComposableCore.ObservableState, Observation.Observable {
        }
        """)
  }

  @Test func noClasses() {
    expectComplaint(
      """
      @ObservableState final class State {}
      """, "ObservableState", as: ObservableStateMacro.self, adding: ["ObservableState", "Observable"],
      is: """
        1:1: error: '@ObservableState' cannot be applied to class type 'State'
        """)
  }

  @Test func noActors() {
    expectComplaint(
      """
      @ObservableState actor State {}
      """, "ObservableState", as: ObservableStateMacro.self, adding: ["ObservableState", "Observable"],
      is: """
        1:1: error: '@ObservableState' cannot be applied to actor type 'State'
        """)
  }

  @Test func presentsInsteadOfPresentationState() {
    expectComplaint(
      """
      @ObservableState struct State {
        @PresentationState var alert: Alert?
      }
      """, "ObservableState", as: ObservableStateMacro.self, adding: ["ObservableState", "Observable"],
      is: """
        2:3: error: '@PresentationState' cannot be used in an '@ObservableState'; use '@Presents'
          fix: Use '@Presents' instead
        """,
      fixed: """
        @ObservableState struct State {
          @Presents var alert: Alert?
        }
        """)
  }

  @Test func trackedFields() {
    expectExpansion(
      """
      struct State {
        /// How many.
        @ObservationStateTracked public private(set) var count = 0  // so many
        @ObservationStateTracked var `default`: Int?
      }
      """, "ObservationStateTracked", as: ObservationStateTrackedMacro.self,
      is: """
        struct State {
          /// How many.
          public private(set) var count {  // so many
            @storageRestrictions(initializes: _count)
            init(initialValue) {
              _count = initialValue
            }
            get {
              _$observationRegistrar.access(\\Self.count)
              return _count
            }
            set {
              _$observationRegistrar.mutate(\\Self.count, &_count, newValue)
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.count, _count)
              defer {
                _$observationRegistrar.didModify(\\Self.count, _count, before)
              }
              yield &_count
            }
          }
          @ObservationStateIgnored private var _count = 0  // so many
          var `default`: Int? {
            @storageRestrictions(initializes: _default)
            init(initialValue) {
              _default = initialValue
            }
            get {
              _$observationRegistrar.access(\\Self.`default`)
              return _default
            }
            set {
              _$observationRegistrar.mutate(\\Self.`default`, &_default, newValue)
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.`default`, _default)
              defer {
                _$observationRegistrar.didModify(\\Self.`default`, _default, before)
              }
              yield &_default
            }
          }
          @ObservationStateIgnored private var _default: Int?
        }
        """)
  }

  @Test func trackedFieldsWithObservers() {
    expectExpansion(
      """
      struct State {
        @ObservationStateTracked var count: Int = 0 {
          didSet { changed() }
        }
      }
      """, "ObservationStateTracked", as: ObservationStateTrackedMacro.self,
      is: """
        struct State {
          var count: Int {
            didSet { changed() }
            @storageRestrictions(initializes: _count)
            init(initialValue) {
              _count = initialValue
            }
            get {
              _$observationRegistrar.access(\\Self.count)
              return _count
            }
            set {
              let before = _$observationRegistrar.willModify(\\Self.count, _count)
              _count = newValue
              _$observationRegistrar.didModify(\\Self.count, _count, before)
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.count, _count)
              defer {
                _$observationRegistrar.didModify(\\Self.count, _count, before)
              }
              yield &_count
            }
          }
          @ObservationStateIgnored private var _count: Int = 0 {
              didSet {
                changed()
              }
            }
        }
        """)
  }

  @Test func observersAccessTheStorage() {
    /// The observers of the storage of `count` that have this body.
    func rewritten(_ body: String) -> String {
      let source = "struct State {\n@ObservationStateTracked var count: Int = 0 { \(body) }\n}"
      let expansion = Expansion(source, "ObservationStateTracked", as: ObservationStateTrackedMacro.self)
      let storage = expansion.text.split(separator: "@ObservationStateIgnored private var _count: Int = 0").last ?? ""
      return storage.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    }
    for (body, expected) in [
      ("didSet { count = min(count, 10) }", "didSet { _count = min(_count, 10) }"),
      ("didSet { self.count += 1 }", "didSet { self._count += 1 }"),
      ("didSet { [1].forEach { count -= $0 } }", "didSet { [1].forEach { _count -= $0 } }"),
      ("didSet { change(&`count`) }", "didSet { change(&_count) }"),
      ("didSet { other.count = Self.count }", "didSet { other.count = Self.count }"),
      ("didSet { count(count, count: count) }", "didSet { count(_count, count: _count) }"),
      (#"didSet { log(\.count, \State.count) }"#, #"didSet { log(\.count, \State.count) }"#),
      (
        "willSet(count) { self.count = count }",
        "willSet(count) { self._count = count }"
      ),
    ] {
      #expect(rewritten(body).contains(expected), "\(rewritten(body))")
    }
  }

  @Test func oneNamePerField() {
    expectComplaint(
      """
      struct State {
        @ObservationStateTracked var (a, b) = (1, 2)
      }
      """, "ObservationStateTracked", as: ObservationStateTrackedMacro.self,
      is: """
        2:3: error: An observed field is a 'var' with one name: split the declaration
        """)
  }

  @Test func ignoredFields() {
    expectExpansion(
      """
      struct State {
        @ObservationStateIgnored var count = 0
      }
      """, "ObservationStateIgnored", as: ObservationStateIgnoredMacro.self,
      is: """
        struct State {
          var count = 0
        }
        """)
  }
}
