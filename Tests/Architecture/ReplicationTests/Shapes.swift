import FoundationEssentials
import IdentifiedCollections
import ReplicatedArchitecture
import Wire

/// One field of each replicated type of the standard library and Foundation.
@Replicated
struct Everything: Equatable {
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var int128: Int128 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint64: UInt64 = 0
  var uint128: UInt128 = 0
  var float: Float = 0
  var double = 0.0
  var bool = false
  var string = ""
  var substring: Substring = ""
  var character: Character = "a"
  var scalar: Unicode.Scalar = "a"
  var duration = Duration.zero
  var range = 0..<1
  var closed = 0...1
  var data = Data()
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var url: URL?
  var decimal = Decimal(0)
  var optional: Int??
  var array: [Int] = []
  var nested: [[String]] = []
  var set: Set<String> = []
  var dictionary: [String: [Int]] = [:]
  var result: Result<Item, Refusal> = .failure(.never)
  var colour = Colour.red
}

/// Nested values.
@Replicated
struct World: Equatable {
  var everything = Everything()
  var place: Place?
  var items: IdentifiedArrayOf<Item> = []
  var plain: [Item] = []
  var byName: [String: Item] = [:]
  var tree = Tree.leaf(0)
  var box = Box<Item>(value: Item(id: 0))
  @Replicated(omit) var scratch = 7
}

@Replicated
struct Place: Equatable {
  let name: String
  var position = Position.nowhere
  var neighbours: [Place] = []
}

@Replicated
enum Position: Equatable {
  case nowhere
  case at(x: Int, y: Double)
  @ReplicatedKey(9) case inside(Item)
  case named(String)
}

@Replicated
indirect enum Tree: Equatable {
  case leaf(Int)
  case node(Tree, Tree)
}

@Replicated
struct Item: Equatable, Hashable, Identifiable {
  let id: Int
  var title = ""
  @ReplicatedKey(7) var tags: [String] = []
  var isDone = false
}

@Replicated
struct Box<Value: Equatable>: Equatable {
  var value: Value
  var others: [Value]?
}

@Replicated
enum Refusal: Error, Hashable {
  case never
  case because(reason: String)
}

enum Colour: String, CaseIterable {
  case red
  case green
}

extension Colour: Replicated {}
