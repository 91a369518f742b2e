import Glibc
import Testing

@testable import Terminal

@MainActor
@Suite struct KeyReaderTests {
  /// An answer that arrives after the end of the program would be input of the shell.
  @Test func answersOfTheTerminalAreCounted() {
    var reader = KeyReader(isUnicode: true)
    reader.expectAnswers(2)
    let joined = answer(KeyReader.joinedAnswer, to: &reader)
    #expect(joined == nil && reader.pendingAnswerCount == 1)
    #expect(reader.form.joinsEmoji && !reader.form.hasSkinTones)
    let other = answer(KeyReader.otherAnswer, to: &reader)
    #expect(other == nil && reader.pendingAnswerCount == 0)
    // More than were requested.
    let toned = answer(KeyReader.tonedAnswer, to: &reader)
    #expect(toned == nil && reader.pendingAnswerCount == 0 && reader.form.hasSkinTones)
  }

  @Test func charactersBeyondTheLimitOfAPasteAreCounted() {
    var reader = KeyReader(isUnicode: true)
    _ = answer(KeyReader.pasteStart, to: &reader)
    for _ in 0..<KeyReader.pasteLimit + 10 { _ = reader.key(kind: 0, code: 0xE9) }
    let text = String(repeating: "é", count: KeyReader.pasteLimit)
    let key = answer(KeyReader.pasteEnd, to: &reader)
    #expect(key == .paste(text, omittedByteCount: 20))
  }

  private func answer(_ code: CInt, to reader: inout KeyReader) -> Key? {
    // KEY_CODE_YES of ncurses.
    reader.key(kind: 0o400, code: UInt32(code))
  }
}
