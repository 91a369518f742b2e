import ComposableArchitecture
import Foundation
import JSONText
import ReplicatedArchitecture
import SchemaNames
import Testing
import Wire

/// Results with any error, as features of TCA 1.x have them in their actions.
@Suite struct AnyErrorTests {
  @Test func anActionHasTheSameBytesAfterTheJourney() throws {
    for action in Self.actions {
      let bytes = action.encoded()
      let read = try Facts.Action(decoding: bytes.span.bytes)
      #expect(read.encoded() == bytes)
      #expect(!read.differs(from: action) && !action.differs(from: read))
    }
  }

  private static let actions: [Facts.Action] = [
    .response(.success("3 is prime")), .response(.failure(Offline())), .response(.failure(Refused.busy(seconds: 3))),
    .answered(id: 1, .success(nil)), .answered(id: 1, .failure(CancellationError())),
    .counted(.success(1), at: 2), .counted(.failure(Offline()), at: 2),
    .old(.success(5)), .old(.failure(Offline())),
    .wrapped(Facts.Response(result: .success(1))), .wrapped(Facts.Response(result: .failure(Offline()))),
  ]

  @Test func theFailureIsKnownByDomainCodeAndText() throws {
    let sent = Facts.Action.response(.failure(Refused.busy(seconds: 3)))
    guard case .response(.failure(let error)) = try Facts.Action(decoding: sent.encoded().span.bytes) else {
      Issue.record("the action is another one")
      return
    }
    let read = try #require(error as? ReplicatedError)
    #expect(read == ReplicatedError(Refused.busy(seconds: 3)))
    #expect(read.domain.hasSuffix("Refused") && read.code == 0 && read.text == "busy(seconds: 3)")
    #expect(ReplicatedError(error) == read && error.localizedDescription == read.text && "\(error)" == read.text)
  }

  /// The same reducer, with the same result, in a hub and in a client that predicts.
  @Test func aReducerSeesOneErrorInAnyProcess() throws {
    let reducer = CompiledReducer(Facts())
    var (here, there) = (Facts.State(), Facts.State())
    for action in Self.actions {
      _ = reducer(&here, action)
      _ = reducer(&there, try Facts.Action(decoding: action.encoded().span.bytes))
    }
    #expect(here == there && here.messages == ["3 is prime", "There is no network", "busy(seconds: 3)"])
  }

  @Test func changesAreDeltas() throws {
    for new in Self.actions {
      for old in Self.actions {
        var encoder = CBOREncoder()
        new.encodeDelta(from: old, to: &encoder)
        var decoder = CBORDecoder(encoder.bytes.span.bytes)
        let changed = try old.applying(delta: &decoder)
        #expect(changed.encoded() == new.encoded())
        #expect(new.differs(from: old) == (new.encoded() != old.encoded()))
      }
    }
  }

  @Test func usersReadAndWriteIt() throws {
    let schema = Schema(state: Facts.State.self, action: Facts.Action.self)
    func text(_ action: Facts.Action) throws -> String {
      schema.text(ofAction: try CBORValue(decoding: action.encoded().span.bytes))
    }
    #expect(try text(.response(.success("prime"))) == #"response {"success":"prime"}"#)
    let failure = ReplicatedError(domain: "Shop", code: 7, text: "Sold out")
    #expect(
      try text(.response(.failure(failure)))
        == #"response {"failure":{"domain":"Shop","code":7,"text":"Sold out"}}"#)
    #expect(
      try text(.old(.failure(failure))) == #"old {"failure":{"domain":"Shop","code":7,"text":"Sold out"}}"#)
    let json: JSONValue = ["failure": ["domain": "Shop", "code": .number("7"), "text": "Sold out"]]
    let action = try schema.action(schema.actionPath(named: "response"), [json])
    #expect(action.encoded() == Facts.Action.response(.failure(failure)).encoded())
    #expect(ReadingRisks(of: Facts.Action.self) == [])
  }

  @Test(arguments: [
    (Offline() as any Error, "There is no network", 1), (Refused.never, "never", 2),
    (Refused.wrapped(Refused.never), "wrapped(", 1),
    (NSError(domain: "Shop", code: 7, userInfo: [NSLocalizedDescriptionKey: "Sold out"]), "Sold out", 7),
    (CocoaError(.fileNoSuchFile), "", 4), (POSIXError(.ENOENT), "", 2),
  ])
  func theTextIsThatOfTheError(error: any Error, text: String, code: Int) {
    let replicated = ReplicatedError(error)
    #expect(replicated.text.contains(text) || text.isEmpty)
    #expect(replicated.code == code && !replicated.text.isEmpty)
    #expect(replicated == ReplicatedError(error) && replicated == ReplicatedError(replicated))
  }

  @Test func domainsAreThoseThatPeopleKnow() {
    #expect(ReplicatedError(NSError(domain: "Shop", code: 7)).domain == "Shop")
    #expect(ReplicatedError(CocoaError(.fileNoSuchFile)).domain == NSCocoaErrorDomain)
    #expect(ReplicatedError(POSIXError(.ENOENT)).domain == NSPOSIXErrorDomain)
    #expect(ReplicatedError(URLError(.badURL)).domain == NSURLErrorDomain)
  }

  @Test(arguments: ["a", "é", "👩‍👩‍👧‍👦", "e\u{301}"])
  func hugeTextsAreCutBetweenScalars(scalar: String) throws {
    for surplus in -4...4 {
      let count = ReplicatedError.textLimit / scalar.utf8.count + surplus
      let text = String(repeating: scalar, count: count)
      let error = ReplicatedError(domain: text, code: .min, text: text)
      #expect(error.text.utf8.count <= ReplicatedError.textLimit)
      #expect(error.domain.utf8.count <= ReplicatedError.domainLimit && error.domain.hasSuffix("…"))
      #expect(error.text == text || (error.text.hasSuffix("…") && text.hasPrefix(error.text.dropLast().prefix(100))))
      #expect(try ReplicatedError(decoding: error.encoded().span.bytes) == error)
    }
  }

  @Test(
    arguments: [[0x82, 2, 0x61, 0x61], [0x82, 0x01, 0x82, 0x01, 0xa0], [0x82, 0, 0x80], [0x82, 0, 0x82, 1, 1]]
      as [[UInt8]])
  func badBytesAreRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try Facts.Action(decoding: bytes.span.bytes) }
  }
}

private struct Offline: LocalizedError { var errorDescription: String? { "There is no network" } }

private enum Refused: Error { case busy(seconds: Int), wrapped(any Error), never }

private struct Facts: Reducer {
  @Replicated struct State: Equatable { var messages: [String] = [] }

  @Replicated struct Response { var result: Result<Int, any Error> }

  // Only the mark is not as in an app of TCA 1.x.
  @Replicated enum Action {
    case response(Result<String, any Error>)
    case answered(id: Int, Result<String?, any Error>)
    case counted(Result<Int, any Error>, at: Int)
    case old(TaskResult<Int>)
    case wrapped(Response)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .response(.success(let fact)): state.messages.append(fact)
      case .response(.failure(let error)): state.messages.append(ReplicatedError(error).text)
      default: break
      }
      return .none
    }
  }
}
