import Testing

@testable import MacroExpansions

/// The comments that `@Replicated` writes into the schema.
@Suite struct DocumentationCommentTests {
  /// Returns the calls of the expansion that add comments.
  private func comments(_ source: String) -> [String] {
    let expansion = Expansion(source, "Replicated", as: ReplicatedMacro.self)
    #expect(expansion.diagnostics == "")
    return expansion.text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.contains(".document(") }.map
    {
      String($0)
    }
  }

  @Test func aStructHasItsOwnAndThoseOfItsFields() {
    let found = comments(
      """
      /// A garden.
      ///
      /// It has beds.
      @ObservableState @Replicated struct Garden {
        /// The beds, from left to right.
        @Presents var beds: Bed?
        // An ordinary comment.
        var area = 0
        /// Both.
        var width = 0, height = 0
      }
      """)
    #expect(
      found == [
        #"fields.document("A garden.\n\nIt has beds.")"#, #"fields.document("The beds, from left to right.", key: 0)"#,
        #"fields.document("Both.", key: 2)"#, #"fields.document("Both.", key: 3)"#,
      ])
  }

  @Test func anEnumHasItsOwnAndThoseOfItsCases() {
    let found = comments(
      """
      /// What can happen.
      @Replicated enum Action {
        /// Somebody pressed "+".
        case pressed
        /// Up or down.
        case up, down
        case
          /// To the left.
          left(Int),
          right
      }
      """)
    #expect(
      found == [
        #"cases.document("What can happen.")"#, #"cases.document("Somebody pressed \"+\".", key: 0)"#,
        #"cases.document("Up or down.", key: 1)"#, #"cases.document("Up or down.", key: 2)"#,
        #"cases.document("To the left.", key: 3)"#,
      ])
  }

  @Test func blocksLoseTheirMarksAndTheirIndentation() {
    let found = comments(
      """
      /** One line. */
      @Replicated struct Garden {
        /**
         * A list:
         *   - with an `\\n` in it
         */
        var list = 0
        /**
          Plain.

            Further in.
        */
        var plain = 0
      }
      """)
    #expect(
      found == [
        #"fields.document("One line.")"#, #"fields.document("A list:\n  - with an `\\n` in it", key: 0)"#,
        #"fields.document("Plain.\n\n  Further in.", key: 1)"#,
      ])
  }

  @Test func aCommentBeforeAnEmptyLineBelongsToNothing() {
    let found = comments(
      """
      @Replicated struct Garden {
        /// Of something that was here.

        var area = 0
        ///
        var empty = 0
      }
      """)
    #expect(found.isEmpty)
  }
}
