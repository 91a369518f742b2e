import Foundation
import Glibc
import Terminal
import TerminalUI

/// A view on a screen in memory, and what can happen to it besides keys.
@MainActor
protocol ScreenPlay: AnyObject {
  var view: AnyTerminalView { get }
  /// Lets another client, the hub or the connection do something.
  func happen(_ input: inout FuzzInput)
  /// Does what the program does after each key.
  func follow() throws
}

extension ScreenPlay {
  /// Presses keys on the screen, in any size; throws if it is not drawn within its size, and as plain text.
  func run(_ input: inout FuzzInput) throws {
    // Also determines the widths of characters (wcwidth(3)).
    setlocale(LC_CTYPE, "C.UTF-8")
    var size = CanvasSize(rows: 1 + input.below(30), columns: 1 + input.below(110))
    let tester = TerminalTester(view, rows: size.rows, columns: size.columns, hasHelpLine: true)
    var steps = 0
    while !input.isAtEnd, steps < 300 {
      switch input.byte() {
      case let byte where byte < 128: tester.press(key(byte))
      case 128..<160: happen(&input)
      case 160..<176: tester.press(.click(row: input.below(size.rows), column: input.below(size.columns)))
      case 176..<184: tester.press(.paste(String(decoding: input.take(input.below(40)), as: UTF8.self)))
      case 184..<192:
        size = CanvasSize(rows: 1 + input.below(30), columns: 1 + input.below(110))
        tester.resize(rows: size.rows, columns: size.columns)
      case 192..<200: tester.advance(by: .milliseconds(100 * input.below(60)))
      case let byte: tester.press(otherKeys[Int(byte) % otherKeys.count])
      }
      try follow()
      steps += 1
      let lines = tester.lines
      try promise(lines.count == size.rows, "the screen has its rows")
      for line in lines {
        try promise(TextWidth.columns(of: line) <= size.columns, "'\(line)' is wider than the screen")
        let isPlain = line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        try promise(isPlain, "'\(line)' can control the terminal")
      }
    }
  }
}

private let otherKeys: [Key] = [
  .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .delete, .backTab, .wheelUp, .wheelDown, .other,
  .character("水"), .character("é"), .character("👩‍💻"),
]

/// The key for an ASCII character, as a terminal sends it.
private func key(_ byte: UInt8) -> Key {
  switch byte {
  case 9: .tab
  case 10, 13: .enter
  case 27: .escape
  case 8, 127: .backspace
  case 1...26: .control(Character(Unicode.Scalar(byte + 96)))
  case 32...126: .character(Character(Unicode.Scalar(byte)))
  default: .other
  }
}

/// Runs code on the main thread.
func onMainThread(_ body: @MainActor @Sendable () throws -> Void) throws {
  if Thread.isMainThread { return try MainActor.assumeIsolated(body) }
  try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
}
