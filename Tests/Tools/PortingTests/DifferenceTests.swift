import Testing

@testable import Porting

@Suite struct DifferenceTests {
  private func difference(_ old: String, _ new: String) -> String {
    Difference(from: old, to: new).text(oldName: "a", newName: "b")
  }

  @Test func equalTextsHaveNone() {
    #expect(difference("a\nb\n", "a\nb\n") == "")
    #expect(difference("", "") == "")
  }

  @Test func farChangesAreSeparateHunks() {
    let old = (1...20).map { "\($0)\n" }.joined()
    let new = old.replacing("2\n3\n", with: "2\nx\n").replacing("18\n", with: "18\ny\n")
    #expect(
      difference(old, new) == """
        --- a
        +++ b
        @@ -1,6 +1,6 @@
         1
         2
        -3
        +x
         4
         5
         6
        @@ -16,5 +16,6 @@
         16
         17
         18
        +y
         19
         20

        """)
  }

  @Test func nearChangesAreOneHunk() {
    #expect(difference("a\nb\nc\n", "x\nb\ny\n") == "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-a\n+x\n b\n-c\n+y\n")
  }

  @Test func theLastLineMayHaveNoBreak() {
    #expect(
      difference("a\nb", "a\nc")
        == "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n")
  }
}
