import ComposableArchitecture
import ComposableTesting
import Foundation
import XCTest

final class LibraryTests: XCTestCase {
  private struct Refused: Error {}

  @MainActor
  func testSignInReplacesTheRoot() async {
    let store = TestStore(initialState: Library.State.signIn(SignIn.State())) {
      Library.body
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(\.signIn.view.signInTapped)
    await store.send(\.signIn.view.binding.name, "Ada") {
      $0.modify(\.signIn) {
        $0.name = "Ada"
        $0.isValid = true
      }
    }
    await store.send(\.signIn.view.signInTapped)
    await store.receive(\.signIn.signedIn) { $0 = .shelf(Folder.State(id: UUID(0))) }
    await store.send(\.shelf.addTapped) { $0.modify(\.shelf) { $0.folders.append(Folder.State(id: UUID(1))) } }
  }

  @MainActor
  func testTheStoreOfAnEnumFollowsItsCase() async {
    let store = Store(initialState: Library.State.signIn(SignIn.State(name: "Ada", isValid: true))) {
      Library.body
    } withDependencies: {
      $0.uuid = .incrementing
    }
    guard case let .signIn(signIn) = store.case else { return XCTFail("signed in already") }
    await signIn.send(.view(.signInTapped)).finish()
    guard case let .shelf(shelf) = store.case else { return XCTFail("not signed in") }
    shelf.send(.titleChanged("novels"))
    XCTAssertEqual(shelf.title, "novels")
    XCTAssertNil(store.scope(state: \.signIn, action: \.signIn))
  }

  @MainActor
  func testAFolderInAFolderIsLoaned() async {
    let inner = Folder.State(id: UUID(2))
    let outer = Folder.State(id: UUID(1), folders: [inner])
    let store = TestStore(initialState: Folder.State(id: UUID(0), folders: [outer])) {
      Folder { _, isOut in
        guard isOut else { throw Refused() }
        return isOut
      }
    }
    await store.send(\.folders[id: UUID(1)].folders[id: UUID(2)].loan.tapped) {
      $0.folders[id: UUID(1)]?.folders[id: UUID(2)]?.isOut = true
    }
    await store.receive(\.folders[id: UUID(1)].folders[id: UUID(2)].loan.response.success)
    await store.send(\.folders[id: UUID(1)].folders[id: UUID(2)].loan.tapped) {
      $0.folders[id: UUID(1)]?.folders[id: UUID(2)]?.isOut = false
    }
    await store.receive(\.folders[id: UUID(1)].folders[id: UUID(2)].loan.response.failure) {
      $0.folders[id: UUID(1)]?.folders[id: UUID(2)]?.alert = AlertState { TextState("The loan was refused.") }
    }
    await store.send(\.folders[id: UUID(1)].folders[id: UUID(2)].loan.alert.dismiss) {
      $0.folders[id: UUID(1)]?.folders[id: UUID(2)]?.alert = nil
      $0.folders[id: UUID(1)]?.folders[id: UUID(2)]?.isOut = true
    }
  }

  @MainActor
  func testOperatorsOfTheAppWrapAnyReducer() async {
    let (signals, names) = (LockIsolated(0), LockIsolated<[String]>([]))
    let store = TestStore(initialState: Counted<SignIn>.State(child: SignIn.State())) {
      Counted { SignIn() }
        .signalling(\.child.isValid) { signals.withValue { $0 += 1 } }
        .recording(names)
    }
    await store.send(.child(.view(.binding(.set(\.name, "A"))))) {
      $0.child.name = "A"
      $0.count = 1
    }
    await store.send(.child(.view(.binding(.set(\.name, "Ad"))))) {
      $0.child.name = "Ad"
      $0.child.isValid = true
      $0.count = 2
    }
    await store.finish()
    XCTAssertEqual(signals.value, 1)
    XCTAssertEqual(names.value.count, 2)
  }
}
