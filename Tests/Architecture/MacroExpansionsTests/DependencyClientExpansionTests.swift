import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import MacroExpansions

@Suite struct DependencyClientExpansionTests {
  @Test func endpointsAndInitialisers() {
    expectExpansion(
      """
      @DependencyClient public struct Client {
        public var fetch: @Sendable (_ id: Int) async throws -> String
        public var log: (String) -> Void
        public var optional: (() -> Void)?
        public var name: String = "n"
        let constant = 1
        static var shared: () -> Void = {}
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        public struct Client {
          @DependencyEndpoint
          public var fetch: @Sendable (_ id: Int) async throws -> String
          @DependencyEndpoint
          public var log: (String) -> Void
          public var optional: (() -> Void)?
          public var name: String = "n"
          let constant = 1
          static var shared: () -> Void = {}
          public init(fetch: @escaping @Sendable (_ id: Int) async throws -> String, log: @escaping (String) -> Void, optional: (() -> Void)? = nil, name: String = "n") {
            self.fetch = fetch
            self.log = log
            self.optional = optional
            self.name = name
          }
          public init(optional: (() -> Void)? = nil, name: String = "n") {
            self.optional = optional
            self.name = name
          }
        }
        """)
  }

  @Test func privateFieldsWithAValueAreNoParameters() {
    expectExpansion(
      """
      @DependencyClient public struct Client {
        public var fetch: () throws -> Int
        private var cache: Int = 0
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        public struct Client {
          @DependencyEndpoint
          public var fetch: () throws -> Int
          private var cache: Int = 0
          public init(fetch: @escaping () throws -> Int) {
            self.fetch = fetch
          }
          public init() {
          }
        }
        """)
  }

  @Test func theLowestAccess() {
    expectExpansion(
      """
      @DependencyClient public struct Client {
        public var fetch: () throws -> Int
        var isCached = true
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        public struct Client {
          @DependencyEndpoint
          public var fetch: () throws -> Int
          var isCached = true
          init(fetch: @escaping () throws -> Int, isCached: Swift.Bool = true) {
            self.fetch = fetch
            self.isCached = isCached
          }
          init(isCached: Swift.Bool = true) {
            self.isCached = isCached
          }
        }
        """)
  }

  @Test func initialisersOfItsOwn() {
    expectExpansion(
      """
      @DependencyClient private struct Client {
        var fetch: () throws -> Int
        init() { fetch = { 3 } }
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        private struct Client {
          @DependencyEndpoint
          var fetch: () throws -> Int
          init() { fetch = { 3 } }
          init(fetch: @escaping () throws -> Int) {
            self.fetch = fetch
          }
        }
        """)
  }

  @Test func fieldsWithoutValue() {
    expectExpansion(
      """
      @DependencyClient struct Client {
        var fetch: () throws -> Int
        let id: Int
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        struct Client {
          @DependencyEndpoint
          var fetch: () throws -> Int
          let id: Int
          init(fetch: @escaping () throws -> Int, id: Int) {
            self.fetch = fetch
            self.id = id
          }
          init(id: Int) {
            self.id = id
          }
        }
        """)
  }

  @Test func severalNamesInOneDeclaration() {
    expectExpansion(
      """
      @DependencyClient struct Client {
        var host, path: String
        var port = 80, name: String?
        let first = 1, second: Int
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        struct Client {
          var host, path: String
          var port = 80, name: String?
          let first = 1, second: Int
          init(host: String, path: String, port: Swift.Int = 80, name: String? = nil, second: Int) {
            self.host = host
            self.path = path
            self.port = port
            self.name = name
            self.second = second
          }
        }
        """)
  }

  @Test func endpointsHaveOneName() {
    expectComplaint(
      """
      @DependencyClient struct Client {
        var fetch, load: () throws -> Int
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        2:7: error: An endpoint is a 'var' with one name: split the declaration
        """)
  }

  @Test func onlyStructs() {
    expectComplaint(
      """
      @DependencyClient class Client {}
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        1:1: error: '@DependencyClient' can only be applied to struct types
        """)
  }

  @Test func typesAreNeeded() {
    expectComplaint(
      """
      @DependencyClient struct Client {
        var fetch: () throws -> Int
        var name = makeName()
      }
      """, "DependencyClient", as: DependencyClientMacro.self,
      is: """
        3:7: error: '@DependencyClient' requires 'name' to have a type annotation in order to generate a memberwise initializer
        """)
  }
}
