import Foundation
import IdentifiedCollections
import IssueReporting
import Sharing
import Testing

private struct Todo: Codable, Equatable, Identifiable, Sendable {
  let id: Int
  var title = ""
}

private struct User: Equatable, Sendable {
  var firstName = "Blob"
  var lastName = "Smith"
  var phone: String?
}

@Suite struct DerivedTests {
  @Test func aClosureDerivesAValue() {
    @Shared(value: User()) var user
    let name = $user.read { "\($0.firstName) \($0.lastName)" }
    let length = name.read { $0.count }
    let last = $user.read(\.lastName)
    $user.lastName.withLock { $0 = "Jr" }
    #expect(name.wrappedValue == "Blob Jr" && length.wrappedValue == 7 && last.wrappedValue == "Jr")
  }

  @Test func aDerivedValueNotifies() async {
    @Shared(value: User()) var user
    var lengths = $user.read { $0.firstName.count }.values.makeAsyncIterator()
    #expect(await lengths.next() == 4)
    $user.firstName.withLock { $0 = "Bo" }
    #expect(await lengths.next() == 2)
  }

  @Test func anOptionalForReadingIsUnwrapped() {
    @Shared(value: User()) var user
    let reader = SharedReader($user)
    #expect(SharedReader(reader.phone) == nil)
    $user.phone.withLock { $0 = "1" }
    let phone = SharedReader(reader.phone)
    $user.phone.withLock { $0 = "12" }
    #expect(phone?.wrappedValue == "12")
    $user.phone.withLock { $0 = nil }
    #expect(phone?.wrappedValue == "12")
  }

  @Test func anUnwrappedValueRemembersItsOwnChange() {
    @Shared(value: User(phone: "1")) var user
    let phone = Shared($user.phone)
    phone?.withLock { $0 += "2" }
    $user.phone.withLock { $0 = nil }
    #expect(phone?.wrappedValue == "12")
  }

  @Test func elementsAreFoundByTheirIDs() {
    @Shared(value: [Todo(id: 1), Todo(id: 2), Todo(id: 3)]) var todos: IdentifiedArrayOf<Todo>
    let all = Array($todos)
    let readers = ContiguousArray(SharedReader($todos))
    $todos.withLock { todos in
      todos.remove(id: 1)
      todos.reverse()
    }
    all[1].title.withLock { $0 = "two" }
    all[0].title.withLock { $0 = "gone" }
    #expect(todos == [Todo(id: 3), Todo(id: 2, title: "two")])
    #expect(all.map(\.id) == [1, 2, 3] && readers.map(\.wrappedValue.title) == ["", "two", ""])
    // A removed element keeps the changes of its share.
    #expect(all[0].wrappedValue.title == "gone")
  }

  @Test func elementsOfAnArrayAreFoundByTheirPositions() {
    @Shared(value: [1, 2]) var numbers
    Array($numbers)[1].withLock { $0 = 7 }
    #expect(numbers == [1, 7])
  }

  @Test func aChangeReadsTheValueBefore() {
    @Shared(value: [Todo(id: 1), Todo(id: 2)]) var todos: IdentifiedArrayOf<Todo>
    let todo = Shared($todos[id: 2])
    $todos.withLock { changed in
      changed.remove(id: todo?.id ?? 0)
      #expect(todos.count == 2 && changed.count == 1)
    }
    #expect(todos.ids == [1] && todo?.wrappedValue.id == 2)
  }

  @Test func aChangeInsideAChangeIsAnIssue() {
    @Shared(value: 1) var count
    let issues = Issues.during {
      $count.withLock { outer in
        $count.withLock { $0 = 9 }
        outer += 1
      }
    }
    #expect(count == 2 && issues.count == 1)
  }

  @Test func aChangeMayUseItsReference() {
    @Shared(value: 1) var count
    let (share, seen) = ($count, Log())
    let issues = Issues.during {
      var subscription: SharedSubscription?
      $count.withLock { value in
        value = 2
        #expect(!share.isLoading && share.loadError == nil && share.saveError == nil && share.wrappedValue == 1)
        subscription = share.subscribe { seen.add($0) }
        share.assert { $0 = 1 }
      }
      subscription?.cancel()
    }
    #expect(count == 2 && seen.values == [1, 2] && issues.count == 1)
  }

  @Test func aMirrorShowsTheValue() {
    @Shared(value: User()) var user
    #expect(Mirror(reflecting: $user).children.compactMap(\.label) == ["firstName", "lastName", "phone"])
    #expect(Mirror(reflecting: SharedReader($user)).children.count == 3)
  }

  @Test func settingsOfAnyCodableType() throws {
    struct Options: Codable, Equatable, Sendable {
      var size = 1
      var names: [String] = []
    }
    @Shared(.appStorage("options")) var options = Options()
    @Shared(.appStorage("more options")) var more: Options?
    #expect(more == nil)
    $options.names.withLock { $0 = ["a"] }
    $more.withLock { $0 = Options(size: 2) }
    @SharedReader(.appStorage("options")) var same = Options()
    #expect(same.names == ["a"] && more?.size == 2)
  }

  @Test func aSettingThatCannotBeDecodedIsALoadError() {
    struct Options: Codable, Equatable, Sendable { var size = 1 }
    do {
      @Shared(.appStorage("size")) var text = "large"
      $text.withLock { $0 = "small" }
    }
    @Shared(.appStorage("size")) var options = Options()
    #expect(options == Options() && $options.loadError != nil)
  }

  @Test func theUsersDirectories() {
    #expect(URL.documentsDirectory.appending(component: "todos.json").path.hasPrefix("/"))
    #expect(URL.cachesDirectory != .applicationSupportDirectory)
  }
}
