import Foundation
import HubCore
import StoreHub
import TestSupport
import Testing

@Suite struct CatalogTests {
  private static let catalog = RepositoryFiles.url("systemd/storehub.catalog")

  @Test func everyKindOfEventIsExplained() throws {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    let ids = text.split(separator: "\n").filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
    #expect(ids.count == Set(ids).count)
    #expect(Set(ids) == Set(MessageID.allCases.map(\.rawValue)))
    for id in ids { #expect(id.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }) }
  }

  @Test func theServiceMayOpenWhatTheHubNeeds() throws {
    let unit = Self.catalog.deletingLastPathComponent().appendingPathComponent("storehub.service")
    let text = try String(contentsOf: unit, encoding: .utf8)
    func number(_ name: String) -> Int? {
      text.split(separator: "\n").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }
    let connections = HubLimits().connections
    // The box with the connections, and the listening socket, as the program's warning says.
    #expect(try #require(number("FileDescriptorStoreMax")) >= 2)
    #expect(try #require(number("LimitNOFILE")) >= connections + 64)
  }
}
