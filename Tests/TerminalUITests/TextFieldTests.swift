import ComposableArchitecture
import TerminalUI
import Testing

/// Fields of a store that answers later, as that of a hub without prediction does.
@Suite struct TextFieldTests {
  /// A text that changes when the test lets it.
  final class Remote {
    private let value = ViewState(wrappedValue: "")
    private(set) var sent: [String] = []
    var binding: StoreBinding<String> {
      StoreBinding(get: { self.value.wrappedValue }, set: { self.sent.append($0) })
    }
    func answers(_ text: String) { value.wrappedValue = text }
  }

  let remote = Remote()
  let tree = ViewTree(size: CanvasSize(rows: 2, columns: 30))

  init() {
    tree.show(TextField(text: remote.binding))
    _ = tree.draw()
  }

  private func press(_ keys: Key...) { for key in keys { #expect(tree.press(key)) } }

  private var line: String { tree.draw().lines[0] }

  @Test func aTextThatEqualsTheStoresIsSentIfAnotherIsOnItsWay() {
    press(.character("a"), .backspace)
    #expect(remote.sent == ["a", ""])
    remote.answers("a")
    #expect(line == "")
    remote.answers("")
    #expect(line == "")
    remote.answers("b")
    #expect(line == "b")
  }

  @Test func aRefusedTextIsReplacedByTheStoresAndSentAgain() {
    press(.character("a"))
    #expect(line == "a")
    tree.actionRefused("not now")
    #expect(tree.draw().lines == ["", ""])
    #expect(tree.message?.text == "not now")
    press(.character("a"))
    #expect(remote.sent == ["a", "a"])
    remote.answers("a")
    #expect(line == "a")
  }

  @Test func textsThatAHubAnswersAtOnceAreNoEchoesLater() {
    press(.character("a"), .character("b"), .backspace)
    remote.answers("a")
    #expect(line == "a")
    remote.answers("ab")
    #expect(line == "ab")
  }

  @Test func echoesDoNotDisturbTyping() {
    press(.character("a"), .character("b"))
    remote.answers("a")
    press(.character("c"))
    remote.answers("ab")
    #expect(line == "abc")
    remote.answers("abc")
    press(.character("d"))
    #expect(remote.sent == ["a", "ab", "abc", "abcd"])
  }
}
