import Dependencies
import IssueReporting
import Testing

private enum Greeting: DependencyKey {
  static let liveValue = "live"
  static let testValue = "test"
}

extension DependencyValues {
  fileprivate var greeting: String {
    get { self[Greeting.self] }
    set { self[Greeting.self] = newValue }
  }
}

private class Model {
  @Dependency(\.greeting) var greeting
}

private final class SubModel: Model {}
private final class Plain {}

@Suite struct FromModelTests {
  private func made<M>(_ make: () -> M) -> M {
    withDependencies {
      $0.greeting = "parent"
    } operation: {
      make()
    }
  }

  @Test func aChildInheritsItsParentsDependencies() {
    for parent in [made(Model.init), made(SubModel.init)] {
      let child = withDependencies(from: parent) { Model() }
      #expect(child.greeting == "parent")
      // And so does the child's child.
      #expect(withDependencies(from: child) { Model() }.greeting == "parent")
    }
  }

  @Test func anObjectThatIsMadeInsideAnotherValueIsKnownByItsDependencies() {
    let (parent, _) = made { (SubModel(), 0) }
    #expect(withDependencies(from: parent) { Model() }.greeting == "parent")
  }

  @Test func anObjectWithoutDependenciesRemembersWhereItWasMade() {
    let parent = made(Plain.init)
    #expect(withDependencies(from: parent) { Model() }.greeting == "parent")
  }

  @Test func currentOverridesAndTheUpdateGoOnTop() async {
    let parent = made(Model.init)
    withDependencies {
      $0.greeting = "current"
    } operation: {
      #expect(withDependencies(from: parent) { DependencyValues._current.greeting } == "current")
    }
    let child = withDependencies(from: parent) {
      $0.greeting += "'s child"
    } operation: {
      Model()
    }
    #expect(child.greeting == "parent's child")
  }

  @Test func anAsynchronousOperationInherits() async {
    let parent = made(Model.init)
    let greeting = await withDependencies(from: parent) {
      await Task.yield()
      return Model().greeting
    }
    #expect(greeting == "parent")
    let changed = await withDependencies(from: parent) {
      $0.greeting += "'s child"
    } operation: {
      await Task.yield()
      return Model().greeting
    }
    #expect(changed == "parent's child")
  }

  @Test func anUnknownObjectIsReported() {
    let issues = withExpectedIssue {
      #expect(withDependencies(from: Plain()) { Model() }.greeting == "test")
    }
    #expect(issues.first?.hasPrefix("You are trying to propagate dependencies to a child model from a model") == true)
    #expect(issues.first?.contains("\n    Plain\n") == true)
  }

  @Test func objectsThatAreGoneAreForgotten() {
    // More than are kept at a time: addresses are reused and must not restore old values.
    for _ in 0..<1000 { _ = made(Plain.init) }
    for _ in 0..<1000 {
      let stranger = Plain()
      let issues = withExpectedIssue { withDependencies(from: stranger) {} }
      #expect(issues.count == 1)
    }
  }
}
