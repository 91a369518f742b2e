import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct DependencyEndpointExpansionTests {
  @Test func labels() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint public var fetch: @Sendable (_ id: Int, Int, String) async throws -> String
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          public var fetch: @Sendable (_ id: Int, Int, String) async throws -> String {
            @storageRestrictions(initializes: _fetch)
            init(initialValue) {
              _fetch = initialValue
            }
            get {
              _fetch
            }
            set {
              _fetch = newValue
            }
          }
          public func fetch(id p0: Int, _ p1: Int, _ p2: String) async throws -> String {
            try await self.fetch(p0, p1, p2)
          }
          private var _fetch: @Sendable (_ id: Int, Int, String) async throws -> String = { _, _, _ in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).fetch'")
            throw IssueReporting.UnimplementedFailure(description: "\\(Self.self).fetch")
          }
        }
        """)
  }

  @Test func values() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint var isOn: (_ a: inout Int, Int) async -> Bool = { _, _ in false }
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          var isOn: (_ a: inout Int, Int) async -> Bool {
            get {
              _isOn
            }
            set {
              _isOn = newValue
            }
          }
          func isOn(a p0: inout Int, _ p1: Int) async -> Bool {
            await self.isOn(&p0, p1)
          }
          private var _isOn: (_ a: inout Int, Int) async -> Bool = { p0, p1 in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).isOn'")
            let placeholder: (_ a: inout Int, Int) async -> Bool = { _, _ in
              false
            }
            return await placeholder(&p0, p1)
          }
        }
        """)
  }

  @Test func autoclosures() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint var log: @Sendable (_ text: @autoclosure @escaping () -> String) -> Void
        @DependencyEndpoint var count: (_ of: @autoclosure () async throws -> Int) async -> Int = { _ in 1 }
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          var log: @Sendable (_ text: @autoclosure @escaping () -> String) -> Void {
            @storageRestrictions(initializes: _log)
            init(initialValue) {
              _log = initialValue
            }
            get {
              _log
            }
            set {
              _log = newValue
            }
          }
          func log(text p0: @autoclosure @escaping () -> String) {
            self.log(p0())
          }
          private var _log: @Sendable (_ text: @autoclosure @escaping () -> String) -> Void = { _ in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).log'")
          }
          var count: (_ of: @autoclosure () async throws -> Int) async -> Int {
            get {
              _count
            }
            set {
              _count = newValue
            }
          }
          func count(of p0: @autoclosure () async throws -> Int) async -> Int {
            await self.count(try await p0())
          }
          private var _count: (_ of: @autoclosure () async throws -> Int) async -> Int = { p0 in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).count'")
            let placeholder: (_ of: @autoclosure () async throws -> Int) async -> Int = { _ in
              1
            }
            return await placeholder(try await p0())
          }
        }
        """)
  }

  @Test func typedThrows() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint var fetch: () throws(Oops) -> Int = { () throws(Oops) in 3 }
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          var fetch: () throws(Oops) -> Int {
            get {
              _fetch
            }
            set {
              _fetch = newValue
            }
          }
          private var _fetch: () throws(Oops) -> Int = { () throws(Oops) in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).fetch'")
            let placeholder: () throws(Oops) -> Int = { () throws(Oops) in
              3
            }
            return try placeholder()
          }
        }
        """)
  }

  @Test func nothing() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint var log: @MainActor @Sendable (_ text: String) -> Void
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          var log: @MainActor @Sendable (_ text: String) -> Void {
            @storageRestrictions(initializes: _log)
            init(initialValue) {
              _log = initialValue
            }
            get {
              _log
            }
            set {
              _log = newValue
            }
          }
          @MainActor func log(text p0: String) {
            self.log(p0)
          }
          private var _log: @MainActor @Sendable (_ text: String) -> Void = { _ in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).log'")
          }
        }
        """)
  }

  @Test func optionals() {
    expectExpansion(
      """
      struct Client {
        @DependencyEndpoint var find: @OtherActor (Int) -> Optional<Int>
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          var find: @OtherActor (Int) -> Optional<Int> {
            @storageRestrictions(initializes: _find)
            init(initialValue) {
              _find = initialValue
            }
            get {
              _find
            }
            set {
              _find = newValue
            }
          }
          private var _find: @OtherActor (Int) -> Optional<Int> = { _ in
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).find'")
            return nil
          }
        }
        """)
  }

  @Test func names() {
    expectExpansion(
      """
      struct Client {
        @available(*, deprecated) @DependencyEndpoint(method: "other") var `default`: () throws -> Int
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        struct Client {
          @available(*, deprecated) var `default`: () throws -> Int {
            @storageRestrictions(initializes: _default)
            init(initialValue) {
              _default = initialValue
            }
            get {
              _default
            }
            set {
              _default = newValue
            }
          }
          @available(*, deprecated)
          func other() throws -> Int {
            try self.`default`()
          }
          private var _default: () throws -> Int = {
            IssueReporting.reportIssue("Unimplemented: '\\(Self.self).default'")
            throw IssueReporting.UnimplementedFailure(description: "\\(Self.self).default")
          }
        }
        """)
  }

  @Test func valuesAreNeeded() {
    expectComplaint(
      """
      struct Client {
        @DependencyEndpoint var isOn: (Int) -> Bool
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        2:27: error: Default value required for non-throwing closure 'isOn'

        Defaults are required so that the macro can generate a default, "unimplemented" version of the dependency via 'reportIssue'.
          fix: Insert '= { _ in <#Bool#> }'
        """,
      fixed: """
        struct Client {
          @DependencyEndpoint var isOn: (Int) -> Bool = { _ in <#Bool#> }
        }
        """)
  }

  @Test func valuesAreNeededForTypedThrows() {
    expectComplaint(
      """
      struct Client {
        @DependencyEndpoint var isOn: () throws(Oops) -> Bool
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        2:27: error: Default value required for closure 'isOn', which throws errors of one type

        Defaults are required so that the macro can generate a default, "unimplemented" version of the dependency via 'reportIssue'.
          fix: Insert '= { <#Bool#> }'
        """,
      fixed: """
        struct Client {
          @DependencyEndpoint var isOn: () throws(Oops) -> Bool = { <#Bool#> }
        }
        """)
  }

  @Test func onlyClosures() {
    expectComplaint(
      """
      struct Client {
        @DependencyEndpoint var isOn: Bool
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        2:3: error: '@DependencyEndpoint' must be attached to a closure property: a 'var' of a function type
        """)
  }

  @Test func onlyVariables() {
    expectComplaint(
      """
      struct Client {
        @DependencyEndpoint let isOn: () -> Void
      }
      """, "DependencyEndpoint", as: DependencyEndpointMacro.self,
      is: """
        2:3: error: '@DependencyEndpoint' must be attached to a closure property: a 'var' of a function type
        """)
  }
}
