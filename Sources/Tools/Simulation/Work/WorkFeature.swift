import IdentifiedCollections
import ReplicatedArchitecture
import Wire

/// Counts the operations on the elements of a list.
///
/// Unchecked: a simulation runs on one thread.
final class WorkCounter: @unchecked Sendable {
  @TaskLocal static var current: WorkCounter?
  var count = 0

  static func note() { current?.count += 1 }
}

/// A text that counts its comparisons, hashes, encodings and decodings.
struct CountedText: Equatable, Sendable {
  var text: String

  static func == (first: Self, second: Self) -> Bool {
    WorkCounter.note()
    return first.text == second.text
  }
}

extension CountedText: Replicated {
  func differs(from base: Self) -> Bool {
    WorkCounter.note()
    return text.differs(from: base.text)
  }

  func encode(to encoder: inout CBOREncoder) {
    WorkCounter.note()
    text.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    WorkCounter.note()
    text = try String(from: &decoder)
  }

  static func schema(in builder: inout SchemaBuilder) -> SchemaType { String.schema(in: &builder) }
}

/// An id that counts the same.
struct CountedID: Hashable, Sendable {
  var number: Int

  static func == (first: Self, second: Self) -> Bool {
    WorkCounter.note()
    return first.number == second.number
  }

  func hash(into hasher: inout Hasher) {
    WorkCounter.note()
    hasher.combine(number)
  }
}

extension CountedID: Replicated {
  func encode(to encoder: inout CBOREncoder) {
    WorkCounter.note()
    number.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    WorkCounter.note()
    number = try Int(from: &decoder)
  }

  static func schema(in builder: inout SchemaBuilder) -> SchemaType { Int.schema(in: &builder) }
}

/// A long list that counts all accesses.
@Reducer
struct WorkFeature {
  @Replicated
  struct Item: Equatable, Identifiable, Sendable {
    let id: CountedID
    var title: CountedText
    var isDone = false

    init(id: CountedID, title: CountedText) { (self.id, self.title) = (id, title) }
  }

  @Replicated
  struct State: Equatable, Sendable {
    var items: IdentifiedArrayOf<Item> = []
    var count = 0

    init(itemCount: Int) {
      items = IdentifiedArray(
        uniqueElements: (0..<itemCount).map {
          Item(id: CountedID(number: $0), title: CountedText(text: "item \($0)"))
        })
    }
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case count
    case rename(CountedID, String)
    case toggle(CountedID)
    case insert(CountedID, at: Int)
    case remove(CountedID)
    case move(from: Int, to: Int)
    /// Bad practice: builds the same list again.
    case remake
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .count: state.count += 1
      case .rename(let id, let title): state.items[id: id]?.title.text = title
      case .toggle(let id): state.items[id: id]?.isDone.toggle()
      case .insert(let id, let index):
        state.items.insert(Item(id: id, title: CountedText(text: "new")), at: min(index, state.items.count))
      case .remove(let id): state.items.remove(id: id)
      case .move(let source, let destination): state.items.move(fromOffsets: [source], toOffset: destination)
      case .remake: state.items = IdentifiedArray(uniqueElements: state.items.map { $0 })
      }
      return .none
    }
  }
}
