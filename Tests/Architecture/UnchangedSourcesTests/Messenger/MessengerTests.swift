import ComposableArchitecture
import ComposableTesting
import XCTest

@MainActor
final class MessengerTests: XCTestCase {
  private let anna = Contact(id: UUID(100), name: "Anna")
  private let ben = Contact(id: UUID(101), name: "Ben")
  private lazy var first = ChatThread(id: UUID(1), contact: anna)
  private lazy var second = ChatThread(id: UUID(2), contact: ben)

  func testSendingFailsAndIsRepeated() async {
    let isOffline = LockIsolated(true)
    let store = TestStore(initialState: ConversationScreen.State(thread: first)) {
      ConversationScreen()
    } withDependencies: {
      $0.uuid = .incrementing
      $0.messenger.send = { @Sendable _ in
        if isOffline.value { throw MessengerClient.Offline() }
      }
    }

    await store.send(.sendButtonTapped)
    await store.send(.set(\.draft, "Hello")) {
      $0.draft = "Hello"
    }
    let id = UUID(0)
    await store.send(.sendButtonTapped) {
      $0.draft = ""
      $0.messages = [Message(id: id, conversation: UUID(1), text: "Hello", status: .sending)]
    }
    await store.receive(\.sendResponse) {
      $0.messages[id: id]?.status = .failed
    }
    isOffline.setValue(false)
    await store.send(.failedMessageTapped(id: id)) {
      $0.messages[id: id]?.status = .sending
    }
    await store.receive {
      if case .sendResponse(id: id, .success) = $0 { true } else { false }
    } assert: {
      $0.messages[id: id]?.status = .sent
    }
    await store.receive(\.delegate.lineChanged)
  }

  func testDeletingAMessageCancelsItsSending() async {
    let deleted = LockIsolated<[UUID]>([])
    let store = TestStore(initialState: ConversationScreen.State(thread: first)) {
      ConversationScreen()
    } withDependencies: {
      $0.uuid = .incrementing
      $0.messenger.send = { @Sendable _ in try await Task.never() }
      $0.messenger.delete = { @Sendable id in deleted.withValue { $0.append(id) } }
    }
    store.exhaustivity = .off(showSkippedAssertions: false)

    await store.send(.binding(.set(\.draft, "Hello")))
    let task = await store.send(.sendButtonTapped)
    XCTAssertFalse(task.isCancelled)
    store.exhaustivity = .on
    await store.send(.messageLongPressed(id: UUID(0))) {
      $0.dialog = ConfirmationDialogState(titleVisibility: .hidden) {
        TextState("Message")
      } actions: {
        ButtonState(role: .destructive, action: .delete(id: UUID(0))) { TextState("Delete") }
      }
    }
    await store.send(.dialog(.presented(.delete(id: UUID(0))))) {
      $0.dialog = nil
      $0.messages = []
    }
    await task.finish()
    XCTAssertEqual(deleted.value, [UUID(0)])
  }

  func testTypingEndsWithTimeOrAMessage() async {
    let clock = TestClock()
    let store = TestStore(initialState: ConversationScreen.State(thread: first)) {
      ConversationScreen()
    } withDependencies: {
      $0.continuousClock = clock
    }

    await store.send(.contactTyping) { $0.isContactTyping = true }
    await clock.advance(by: .seconds(3))
    await store.send(.contactTyping)
    await clock.advance(by: .seconds(4))
    await clock.advance(by: .seconds(1))
    await store.receive(\.typingTimedOut) { $0.isContactTyping = false }

    await store.send(.contactTyping) { $0.isContactTyping = true }
    let message = Message(id: UUID(9), conversation: UUID(1), text: "Hi", isMine: false)
    await store.send(.received(message)) {
      $0.isContactTyping = false
      $0.messages = [message]
    }
    await store.receive(\.delegate.lineChanged)
  }

  func testSearchIsDebounced() async {
    let queue = DispatchQueue.test
    let queries = LockIsolated<[String]>([])
    let store = TestStore(initialState: Inbox.State(threads: [first, second])) {
      Inbox()
    } withDependencies: { [second] in
      $0.mainQueue = queue.eraseToAnyScheduler()
      $0.messenger.search = { @Sendable query in
        queries.withValue { $0.append(query) }
        return [second]
      }
    }

    await store.send(.binding(.set(\.query, "B"))) {
      $0.query = "B"
      $0.isSearching = true
    }
    await queue.advance(by: .milliseconds(200))
    await store.send(.binding(.set(\.query, "Be"))) {
      $0.query = "Be"
    }
    await queue.advance(by: .milliseconds(300))
    await store.receive(\.searchResponse.success) { [second] in
      $0.isSearching = false
      $0.results = [second]
    }
    XCTAssertEqual(queries.value, ["Be"])
    XCTAssertEqual(store.state.visible.ids, [UUID(2)])
    await store.send(.binding(.set(\.query, "Ben"))) {
      $0.query = "Ben"
      $0.isSearching = true
    }
    await store.send(.binding(.set(\.query, ""))) {
      $0.query = ""
      $0.isSearching = false
      $0.results = nil
    }
    await queue.run()
  }

  func testRetryAfterAnError() async {
    let isOffline = LockIsolated(true)
    let store = TestStore(initialState: Inbox.State()) {
      Inbox()
    } withDependencies: { [first] in
      $0.messenger.threads = { @Sendable in
        if isOffline.value { throw MessengerClient.Offline() }
        return [first]
      }
    }

    await store.send(.refresh)
    await store.receive(\.threadsResponse.failure) {
      $0.destination = .alert(
        AlertState {
          TextState("No connection")
        } actions: {
          ButtonState(action: .retry) { TextState("Retry") }
          ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
          TextState("Offline()")
        }
      )
    }
    isOffline.setValue(false)
    await store.send(\.destination.alert.retry) {
      $0.destination = nil
    }
    await store.receive(\.refresh)
    await store.receive(\.threadsResponse.success) { [first] in
      $0.threads = [first]
    }
  }

  func testComposing() async {
    let clock = TestClock()
    let store = TestStore(initialState: Messenger.State(inbox: Inbox.State(threads: [first, second]))) {
      Messenger()
    } withDependencies: {
      $0.continuousClock = clock
    }

    await store.send(.inbox(.composeButtonTapped)) { [anna, ben] in
      $0.inbox.destination = .compose(ComposeSheet.State(contacts: [anna, ben]))
    }
    await store.send(.inbox(.destination(.presented(.compose(.task)))))
    await clock.advance(by: .seconds(2))
    await store.receive(\.inbox.destination.compose.ticked) {
      $0.inbox.destination?.modify(\.compose) { $0.seconds = 1 }
    }
    await store.receive(\.inbox.destination.presented.compose.ticked) {
      $0.inbox.$destination[case: \.compose]?.seconds = 2
    }
    await store.send(.inbox(.destination(.presented(.compose(.contactTapped(ben))))))
    await store.receive(\.inbox.destination.compose.delegate.picked)
    await store.receive(\.inbox.delegate.opened) { [second] in
      $0.path[id: 0] = .conversation(ConversationScreen.State(thread: second))
    }
    await store.receive(\.inbox.destination.dismiss) {
      $0.inbox.destination = nil
    }
  }

  func testAForgottenSheetClosesItself() async {
    let clock = TestClock()
    let store = TestStore(initialState: ComposeSheet.State(contacts: [])) {
      ComposeSheet()
    } withDependencies: {
      $0.continuousClock = clock
    }
    store.exhaustivity = .off

    let task = await store.send(.task)
    await clock.advance(by: .seconds(60))
    for seconds in 1...60 {
      await store.receive(\.ticked) { $0.seconds = seconds }
    }
    XCTAssertTrue(store.isDismissed)
    await task.cancel()
  }

  func testMessagesOfOpenAndOtherConversations() async {
    let (events, continuation) = AsyncStream.makeStream(of: MessengerClient.Event.self)
    let store = TestStore(
      initialState: Messenger.State(inbox: Inbox.State(threads: [first, second]))
    ) {
      Messenger()
    } withDependencies: { [first, second] in
      $0.continuousClock = ImmediateClock()
      $0.messenger.events = { events }
      $0.messenger.threads = { [first, second] }
      $0.messenger.messages = { @Sendable _ in [] }
    }

    let task = await store.send(.task)
    await store.receive(\.inbox.refresh)
    await store.receive(\.inbox.threadsResponse.success)
    await store.send(.inbox(.threadTapped(UUID(1))))
    await store.receive(\.inbox.delegate.opened) { [first] in
      $0.path.append(.conversation(ConversationScreen.State(thread: first)))
    }
    await store.send(.path(.element(id: 0, action: .conversation(.task)))) {
      $0.path[id: 0, case: \.conversation]?.isLoading = true
    }
    await store.receive(\.path[id: 0].conversation.messagesResponse.success) {
      $0.path[id: 0, case: \.conversation]?.isLoading = false
    }

    let hello = Message(id: UUID(7), conversation: UUID(1), text: "Hello", isMine: false)
    continuation.yield(.message(hello))
    await store.receive(\.event)
    await store.receive(\.path[id: 0].conversation.received) {
      $0.path[id: 0, case: \.conversation]?.messages = [hello]
    }
    await store.receive(\.path[id: 0].conversation.delegate.lineChanged) {
      $0.inbox.threads[id: UUID(1)]?.lastLine = "Hello"
    }

    continuation.yield(.message(Message(id: UUID(8), conversation: UUID(2), text: "Hi", isMine: false)))
    await store.receive(\.event) {
      $0.inbox.threads[id: UUID(2)]?.unread = 1
      $0.inbox.threads[id: UUID(2)]?.lastLine = "Hi"
    }

    await store.send(.path(.element(id: 0, action: .conversation(.contactButtonTapped))))
    await store.receive(\.path[id: 0].conversation.delegate.contactSelected) { [anna] in
      $0.path[id: 1] = .contact(ContactScreen.State(contact: anna))
    }
    await store.send(.path(.element(id: 1, action: .contact(.blockButtonTapped)))) {
      $0.path[id: 1, case: \.contact]?.isBlocked = true
      $0.path[id: 1, case: \.contact]?.$settings.isMuted.withLock { $0 = true }
    }
    await store.send(.path(.element(id: 1, action: .contact(.closeButtonTapped))))
    await store.receive(\.path.popFrom) {
      $0.path.removeLast()
    }
    await store.send(.path(.popFrom(id: 0))) {
      $0.path = StackState()
    }
    await task.cancel()
  }

  func testSigningOutFromTheSettings() async {
    @Shared(.messengerSettings) var settings
    let didSignOut = self.expectation(description: "signOut")
    let store = TestStore(
      initialState: Messenger.State(
        inbox: Inbox.State(threads: [first]),
        path: StackState([.conversation(ConversationScreen.State(thread: first))])
      )
    ) {
      Messenger()
    } withDependencies: {
      $0.messenger.events = { .never }
      $0.messenger.threads = { [] }
      $0.messenger.signOut = { didSignOut.fulfill() }
    }
    store.exhaustivity = .off

    await store.send(.task)
    await store.send(.inbox(.settingsButtonTapped)) {
      $0.inbox.destination = .settings(SettingsSheet.State())
    }
    await store.send(\.inbox.destination.settings.muteToggled, true) {
      $0.inbox.destination?.settings?.$settings.withLock { $0.isMuted = true }
    }
    await store.send(\.inbox.destination.settings.binding.signature, "A long signature") {
      $0.inbox.$destination[case: \.settings]?.signature = "A long signa"
    }
    await store.send(\.inbox.destination.settings.signOutButtonTapped) {
      $0.inbox.$destination[case: \.settings]?.alert = .signOut
    }
    await store.send(\.inbox.destination.settings.alert.confirmSignOut)
    await fulfillment(of: [didSignOut], timeout: 1)
    await store.receive(\.inbox.delegate.signedOut) {
      $0.isSignedIn = false
      $0.path = StackState()
      $0.inbox.threads = []
    }
    await store.receive(\.inbox.destination.dismiss) {
      $0.inbox.destination = nil
    }
    await store.finish()
    XCTAssertTrue(settings.isMuted)
    XCTAssertEqual(settings.signature, "")
  }
}
