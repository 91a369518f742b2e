public import ComposableArchitecture
public import Wire

/// The innermost loop of the hub: decodes actions and reduces each as it comes.
@usableFromInline
enum ActionBatch<State, Action: WireValue> {
  /// Applies the actions of a CBOR sequence from an offset on, up to its end or the first that cannot be decoded.
  @usableFromInline
  typealias Apply = (_ reducing: inout ReducerCore<State, Action>, _ sequence: RawSpan, _ offset: Int) -> Outcome

  /// How far a batch came.
  @usableFromInline
  struct Outcome {
    /// How many actions took effect.
    @usableFromInline let count: Int
    /// Why the next one did not, and where it stands; nil at the end of the sequence.
    @usableFromInline let failure: (error: WireError, offset: Int)?

    @inlinable init(count: Int, failure: (error: WireError, offset: Int)?) {
      (self.count, self.failure) = (count, failure)
    }
  }

  /// The loop as one function, specialised for the feature where this is called: nothing generic is looked up per
  /// action.
  @inlinable
  static func specialised() -> Apply {
    { reducing, sequence, offset in
      var decoder = CBORDecoder(sequence, at: offset)
      var count = 0
      while !decoder.isAtEnd {
        let start = decoder.offset
        do throws(WireError) {
          reducing.send(try Action(from: &decoder))
        } catch {
          return Outcome(count: count, failure: (error, start))
        }
        count += 1
      }
      return Outcome(count: count, failure: nil)
    }
  }
}
