import TerminalApp
import Testing

@Suite struct TerminalAppDescriptionTests {
  /// `scripts/new-hub` names a hub and its terminal so, and a hub's socket is in a directory of the hub's name.
  @Test func theSocketOfATerminalIsThatOfTheHubWithItsName() {
    #expect(TerminalAppDescription("garden-terminal").directory == "gardenhub")
    #expect(TerminalAppDescription("gardenhub").directory == "gardenhub")
    #expect(TerminalAppDescription("garden-terminal", directory: "storehub").directory == "storehub")
  }
}
