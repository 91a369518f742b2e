internal import Wire

/// The ids of a collection's elements at the start of the run.
struct Elements: Sendable {
  /// The path of the collection.
  let path: [PathStep]
  private var bytes: [UInt8] = []
  /// The end of each id.
  private var ends: [Int] = []
  /// The values of the elements' Boolean field, if one is toggled.
  private(set) var flags: [Bool] = []

  var count: Int { ends.count }

  /// Reads the ids, and a Boolean field of each element.
  init(at path: [PathStep], flag: [PathStep]?, of state: [UInt8], _ reader: StateReader) throws(LoadError) {
    self.path = path
    guard let part = try reader.part(at: path, of: state) else { return }
    let type = reader.element(of: part.type)
    var (bytes, ends, flags): ([UInt8], [Int], [Bool]) = ([], [], [])
    var failure: LoadError?
    try reader.forEachElement(at: path, of: state) { id, value in
      bytes.append(contentsOf: state[id])
      ends.append(bytes.count)
      guard let flag, let type else { return }
      do throws(LoadError) {
        let place = try reader.part(flag, ofElement: value, type, in: state)
        // CBOR's true.
        flags.append(place.map { state[$0.lowerBound] == 0xf5 } ?? false)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    (self.bytes, self.ends, self.flags) = (bytes, ends, flags)
  }

  /// Appends the id of an element.
  func append(_ element: Int, to output: inout [UInt8]) {
    output.append(contentsOf: bytes[(element == 0 ? 0 : ends[element - 1])..<ends[element]])
  }

  /// The id of an element.
  func id(_ element: Int) -> [UInt8] { Array(bytes[(element == 0 ? 0 : ends[element - 1])..<ends[element]]) }
}
