public import Reducers
public import Wire

/// The innermost loop of the hub: decodes actions and reduces each in place.
public enum ActionBatch {
  /// How far a batch came.
  @frozen
  public struct Outcome {
    /// How many actions took effect.
    public let count: Int
    /// Where the batch stopped.
    public let end: End

    @inlinable init(count: Int, end: End) {
      (self.count, self.end) = (count, end)
    }
  }

  /// Where a batch stopped.
  @frozen
  public enum End {
    /// At the end of the sequence.
    case complete
    /// At the limit; the next action starts at this offset.
    case limit(offset: Int)
    /// At an item that is no action of the feature, which starts at this offset.
    case failure(WireError, offset: Int)
  }

  @usableFromInline
  typealias Apply<State, Action> = (
    _ reducing: inout ReducerCore<State, Action>, _ sequence: RawSpan, _ offset: Int, _ limit: Int
  ) -> Outcome

  /// The loop as one function, specialised for the feature where this is called: nothing generic is looked up per
  /// action.
  @inlinable
  static func specialised<State, Action: WireValue>(
    for state: State.Type, _ action: Action.Type
  ) -> Apply<State, Action> {
    { reducing, sequence, offset, limit in
      var decoder = CBORDecoder(sequence, at: offset)
      var count = 0
      while !decoder.isAtEnd {
        let start = decoder.offset
        guard count < limit else { return Outcome(count: count, end: .limit(offset: start)) }
        do throws(WireError) {
          reducing.send(try Action(from: &decoder))
        } catch {
          return Outcome(count: count, end: .failure(error, offset: start))
        }
        count += 1
      }
      return Outcome(count: count, end: .complete)
    }
  }
}
