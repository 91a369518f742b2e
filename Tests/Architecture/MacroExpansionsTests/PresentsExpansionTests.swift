import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct PresentsExpansionTests {
  @Test func optionalFields() {
    expectExpansion(
      """
      struct State {
        @Presents public var alert: Alert?
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        struct State {
          public var alert: Alert? {
            @storageRestrictions(initializes: _alert)
            init(initialValue) {
              _alert = ComposableCore.PresentationState<Alert>(wrappedValue: initialValue)
            }
            get {
              _$observationRegistrar.access(\\Self.alert)
              return _alert.wrappedValue
            }
            set {
              let before = _$observationRegistrar.willModify(\\Self.alert, _alert.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.alert, _alert.wrappedValue, before)
              }
              _alert.wrappedValue = newValue
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.alert, _alert.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.alert, _alert.wrappedValue, before)
              }
              yield &_alert.wrappedValue
            }
          }
          public var $alert: ComposableCore.PresentationState<Alert> {
            get {
              _$observationRegistrar.access(\\Self.alert)
              return _alert.projectedValue
            }
            set {
              let before = _$observationRegistrar.willModify(\\Self.alert, _alert.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.alert, _alert.wrappedValue, before)
              }
              _alert.projectedValue = newValue
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.alert, _alert.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.alert, _alert.wrappedValue, before)
              }
              yield &_alert
            }
          }
          @ObservationStateIgnored private var _alert = ComposableCore.PresentationState<Alert>(wrappedValue: nil)
        }
        """)
  }

  @Test func optionalFieldsInFull() {
    expectExpansion(
      """
      struct State {
        @Presents var `default`: Optional<Alert> = .first
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        struct State {
          var `default`: Optional<Alert> {
            @storageRestrictions(initializes: _default)
            init(initialValue) {
              _default = ComposableCore.PresentationState<Alert>(wrappedValue: initialValue)
            }
            get {
              _$observationRegistrar.access(\\Self.`default`)
              return _default.wrappedValue
            }
            set {
              let before = _$observationRegistrar.willModify(\\Self.`default`, _default.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.`default`, _default.wrappedValue, before)
              }
              _default.wrappedValue = newValue
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.`default`, _default.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.`default`, _default.wrappedValue, before)
              }
              yield &_default.wrappedValue
            }
          }
          var $default: ComposableCore.PresentationState<Alert> {
            get {
              _$observationRegistrar.access(\\Self.`default`)
              return _default.projectedValue
            }
            set {
              let before = _$observationRegistrar.willModify(\\Self.`default`, _default.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.`default`, _default.wrappedValue, before)
              }
              _default.projectedValue = newValue
            }
            _modify {
              let before = _$observationRegistrar.willModify(\\Self.`default`, _default.wrappedValue)
              defer {
                _$observationRegistrar.didModify(\\Self.`default`, _default.wrappedValue, before)
              }
              yield &_default
            }
          }
          @ObservationStateIgnored private var _default = ComposableCore.PresentationState<Alert>(wrappedValue: .first)
        }
        """)
  }

  @Test func onlyOptionalFields() {
    expectComplaint(
      """
      struct State {
        @Presents var alert: Alert = Alert()
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        2:24: error: '@Presents' can only be applied to an optional field
          fix: Make it optional
        """,
      fixed: """
        struct State {
          @Presents var alert: Alert? = Alert()
        }
        """)
  }

  @Test func onlyFieldsWithType() {
    expectComplaint(
      """
      struct State {
        @Presents var alert = Alert()
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        2:17: error: '@Presents' needs the field's type: 'var alert: Child.State?'
        """)
  }

  @Test func noObservers() {
    expectComplaint(
      """
      struct State {
        @Presents var alert: Alert? {
          didSet { changed() }
        }
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        2:31: error: The accessors and observers of a '@Presents' field would never run; react to its changes in the \
        reducer, for example with 'onChange'
        """)
  }

  @Test func onlyVariables() {
    expectComplaint(
      """
      struct State {
        @Presents let alert: Alert?
      }
      """, "Presents", as: PresentsMacro.self,
      is: """
        2:3: error: '@Presents' can only be applied to a 'var' with one name
        """)
  }
}
