import ComposableTesting
import Deploy
import Foundation
import RandomNumbers
import TerminalUI
import Testing

@testable import deployterm

/// Random keys, sizes and events: no screen traps, or is drawn beyond its size.
@MainActor
@Suite struct RandomKeysTests {
  /// The seconds of the test; DEPLOY_FUZZ_SECONDS makes it longer.
  private static let seconds = ProcessInfo.processInfo.environment["DEPLOY_FUZZ_SECONDS"].flatMap { Int($0) } ?? 1
  private static let keys: [Key] = [
    .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .backspace, .delete, .tab, .backTab, .escape, .enter,
    .wheelUp, .wheelDown, .other, .control("u"), .control("w"), .paste("two\nlines 水"), .paste(""),
  ]
  private static let characters = Array("acnr12/?jkgGq x水é👩‍🌾")

  @Test func everyScreenIsDrawnWithinItsSize() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("RandomKeysTests: seed \(seed)")
    var random = SplitMix(seed: seed)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    var count = 0
    while ContinuousClock.now < end {
      await play(&random, seed)
      count += 1
    }
    print("RandomKeysTests: \(count) runs of 300 keys")
  }

  private func play(_ random: inout SplitMix, _ seed: UInt64) async {
    let (store, desk) = localQueue()
    let tester = TerminalTester(DeployView(store: store, desk: desk), rows: 12, columns: 80, hasHelpLine: true)
    for _ in 0..<300 {
      switch Int.random(in: 0..<24, using: &random) {
      case 0: tester.resize(rows: .random(in: 1...30, using: &random), columns: .random(in: 1...110, using: &random))
      case 1:
        tester.press(.click(row: .random(in: 0...30, using: &random), column: .random(in: 0...110, using: &random)))
      case 2: tester.advance(by: .milliseconds(700))
      case 3...5: happen(store, &random)
      // The effects of the desk, which send actions to the queue.
      case 6: for _ in 0..<20 { await Task.yield() }
      case 7...14: tester.press(Self.keys.randomElement(using: &random) ?? .enter)
      default: tester.press(.character(Self.characters.randomElement(using: &random) ?? "x"))
      }
      let screen = tester.screen
      #expect(screen.lines.count == screen.size.rows, "seed \(seed)")
      for line in screen.lines where TextWidth.columns(of: line) > screen.size.columns {
        Issue.record("seed \(seed): a line is too long: \(line)")
      }
      let isPlain = screen.lines.joined().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      #expect(isPlain, "seed \(seed): a line can control the terminal")
    }
  }

  /// Lets a worker, or another user, do something.
  private func happen(_ store: StoreOf<Deploy>, _ random: inout SplitMix) {
    let (id, lease) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...3, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: store.send(.submitted(service: "水\u{1b}", version: "1", environment: .staging))
    case 1:
      let long = String(repeating: "long ", count: 20)
      store.send(.submitted(service: long, version: "2", environment: .production))
    case 2: store.send(.taken(id))
    case 3: store.send(.progressed(id, lease: lease, percent: .random(in: 0...100, using: &random), note: "a\tb"))
    case 4: store.send(.failed(id, lease: lease, reason: "no\nroom"))
    case 5: store.send(.approved(id))
    case 6: store.send(.cancelled(id, reason: "cancelled"))
    default: store.send(.repeated(id))
    }
  }
}
