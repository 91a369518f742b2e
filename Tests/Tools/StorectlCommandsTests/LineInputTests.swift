import Testing

@testable import StorectlCommands

@Suite struct LineInputTests {
  @Test func linesDoNotDependOnTheReads() throws {
    let bytes = Array("one\n\ntwo é\nthree".utf8)
    for size in 1...bytes.count {
      var (input, lines): (LineInput, [String]) = (LineInput(), [])
      for start in stride(from: 0, to: bytes.count, by: size) {
        let part = Array(bytes[start..<min(start + size, bytes.count)])
        lines += try input.lines(in: part).map { "\($0.number) \($0.text ?? "")" }
      }
      lines += try input.lines(in: []).map { "\($0.number) \($0.text ?? "")" }
      #expect(lines == ["1 one", "2 ", "3 two é", "4 three"], "reads of \(size) bytes")
    }
  }

  @Test func aLineHasALimit() throws {
    var input = LineInput()
    let part = [UInt8](repeating: 0x20, count: 1 << 22)
    for _ in 0..<4 { _ = try input.lines(in: part) }
    #expect(throws: ToolFailure(.usage, "line 1 has more than 16 MiB")) { try input.lines(in: [0x20]) }
  }
}
