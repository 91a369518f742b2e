import ComposableArchitecture
import Observation
import Testing

/// Dumps do not contain the storage of observation, however deep the state is.
@Suite struct NestedDumpTests {
  @ObservableState struct Leaf: Equatable, Identifiable {
    var id = 0
    var value = 1
  }

  @ObservableState enum Choice: Equatable { case leaf(Leaf) }

  @Observable final class Model {
    var leaf = Leaf()
  }

  @ObservableState struct Root {
    var leaf = Leaf()
    var optional: Leaf? = Leaf()
    var array = [Leaf()]
    var rows: IdentifiedArrayOf<Leaf> = [Leaf()]
    var dictionary = ["a": Leaf()]
    var tuple = (Leaf(), 1)
    var choice = Choice.leaf(Leaf())
    var identified = Identified(Leaf(), id: 1)
    var path = StackState<Leaf>([Leaf()])
    var model = Model()
    var any: Any = Leaf()
    @Presents var presented: Leaf? = Leaf()
    @Shared(value: Leaf()) var shared
  }

  @Test func registrarsAreHidden() {
    let dump = String(customDumping: Root())
    #expect(!dump.contains("_$") && !dump.contains("Extent"), "\(dump)")
    #expect(dump.contains("_leaf: NestedDumpTests.Leaf(\n    _id: 0,\n    _value: 1\n  )"))
    var other = Root()
    other.leaf.value = 2
    let difference = diff(Root(), other) ?? ""
    #expect(!difference.contains("_$") && !difference.contains("Extent"), "\(difference)")
  }
}
