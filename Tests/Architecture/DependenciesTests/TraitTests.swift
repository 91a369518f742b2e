import Dependencies
import DependenciesTestSupport
import FoundationEssentials
import Testing

private struct Word: DependencyKey, Sendable {
  var text: String

  static let liveValue = Word(text: "live")
  static let testValue = Word(text: "test")
}

extension DependencyValues {
  fileprivate var word: Word {
    get { self[Word.self] }
    set { self[Word.self] = newValue }
  }
}

@Suite(.dependency(\.uuid, .incrementing), .dependency(\.word, Word(text: "suite"))) struct TraitTests {
  @Dependency(\.word.text) private var word
  @Dependency(\.uuid) private var uuid

  @Test func aSuitesTraitHoldsForItsTests() { #expect(word == "suite") }

  @Test(.dependency(\.word.text, "test's own")) func aTestsTraitWinsOverItsSuites() {
    #expect(word == "test's own")
  }

  @Test(.dependency(Word(text: "by type"))) func aValueThatIsItsOwnKeyNeedsNoKeyPath() {
    #expect(word == "by type")
  }

  @Test(
    .dependencies {
      await Task.yield()
      $0.word.text += ", changed"
    }
  ) func anUpdateSeesTheSuitesValues() { #expect(word == "suite, changed") }

  @Test(arguments: 1...3) func eachRunHasValuesOfItsOwn(number: Int) {
    #expect(uuid() == UUID(0))
  }

  @Test func whileOneTestAsksAnother() {
    #expect(uuid() == UUID(0) && uuid() == UUID(1))
  }
}
