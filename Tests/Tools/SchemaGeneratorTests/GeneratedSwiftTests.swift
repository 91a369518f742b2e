import ReplicatedArchitecture
import Testing
import Wire

/// The generated Swift, which this target compiles, speaks to the feature's hub.
struct GeneratedSwiftTests {
  private let generated = Schema(state: EverythingState.self, action: EverythingAction.self)

  @Test func itsSchemaIsCompatibleWithThatOfTheFeature() {
    #expect(generated.compatibility(with: GeneratedSourceTests.schema) == .compatible)
    #expect(GeneratedSourceTests.schema.compatibility(with: generated) == .compatible)
  }

  @Test func itsActionsHaveTheSameBytes() throws {
    let mine: [EverythingAction] = [
      .tapped, .chosen(5), .moved(1, before: nil), .placed(EverythingPoint(x: 1, y: 2), Colour(rawValue: "green")),
      .import(class: "c", case: 3), .screen(.titleChanged("t")),
    ]
    let theirs: [Everything.Action] = [
      .tapped, .chosen(5), .moved(1, before: nil), .placed(Everything.Point(x: 1, y: 2), .green),
      .import(class: "c", case: 3), .screen(.titleChanged("t")),
    ]
    for (mine, theirs) in zip(mine, theirs) { #expect(mine.encoded() == theirs.encoded()) }
  }
}
