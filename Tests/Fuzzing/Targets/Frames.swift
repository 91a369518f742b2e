import Wire

extension FuzzTarget {
  /// A stream gives the same frames however it is split. The first byte is the number of bytes that determine the
  /// splits.
  static let frames = FuzzTarget(name: "frames") { bytes in
    var input = FuzzInput(bytes)
    let cuts = input.take(input.below(16)).map(Int.init)
    let whole = CutStream(input.rest, cuts: [])
    try promise(CutStream(input.rest, cuts: cuts) == whole, "cuts \(cuts) give other frames")
    try promise(CutStream(input.rest, cuts: [1]) == whole, "single bytes give other frames")
  } seeds: {
    let streams = GoldenFiles.conversations.map { $0.flatMap(\.bytes) }
    return streams.map { [0] + $0 } + streams.map { [3, 1, 40, 17] + $0 } + [[2, 0, 15] + [0, 0, 16, 0, 1]]
  }
}

/// The result of decoding a stream in pieces of these sizes, repeated.
private struct CutStream: Equatable {
  var headers: [FrameHeader] = []
  var payloads: [[UInt8]] = []
  var problem: WireError.Problem?
  var endsInsideFrame = false

  init(_ stream: [UInt8], cuts: [Int]) {
    var decoder = FrameDecoder(payloadLimit: 2048)
    var position = 0
    var next = 0
    do throws(WireError) {
      repeat {
        // Empty pieces alone would never end.
        let size = cuts.contains { $0 > 0 } ? cuts[next % cuts.count] : stream.count
        next += 1
        let end = min(position + size, stream.count)
        let piece = Array(stream[position..<end])
        position = end
        try decoder.feed(piece.span.bytes) { header, payload in
          headers.append(header)
          payloads.append([UInt8](payload))
        }
      } while position < stream.count
      endsInsideFrame = decoder.isInsideFrame
    } catch {
      problem = error.problem
    }
  }
}
