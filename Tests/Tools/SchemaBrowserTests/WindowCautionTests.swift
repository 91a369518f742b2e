import IdentifiedCollections
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// What tables with windows do when a hub, or the user, does what is seldom done.
@Suite struct WindowCautionTests {
  @Test func whatIsSoughtInACollectionThatBecameShortIsNotFound() throws {
    let value = try #require(try part(largeDiner(10), at: "orders"))
    let type = try dinerSchema.part(named: "orders").type
    let orders = try #require(WholeCollection(value, type, in: dinerSchema))
    #expect(orders.index(of: "[5000]", hint: 1999) == nil && orders.index(of: "[5]", hint: 1999) == 4)
  }
}
