import Configuration
import Features
import HubCore
import ReplicatedArchitecture
import Testing
import Wire

/// The right to change fields of a shared model.
@Suite struct WriteRightTests {
  @Replicated
  struct Planner {
    var title = ""
    var dates: [Int] = []
    @ReplicatedKey(7) var votes: SharedCounter = 0
  }

  /// A feature that contains a shared model.
  @Replicated
  enum Wider {
    case planner(SharedChange<Planner>)
    case opened
  }

  private let whole = Schema(state: Planner.self, action: SharedChange<Planner>.self)
  private let wider = Schema(state: Planner.self, action: Wider.self)

  private func grant(_ text: String, _ schema: Schema) throws(ConfigurationError) -> AccessGrant? {
    var configuration = try OperatorConfiguration(owner: 7)
    try configuration.read([(file: "hub.conf", text: "[user 1001]\n\(text)")], schema: schema)
    return configuration.policy.users[1001]
  }

  private func problem(_ text: String, _ schema: Schema) -> String? {
    do throws(ConfigurationError) {
      _ = try grant(text, schema)
      return nil
    } catch {
      return error.problems.map(\.description).joined(separator: "\n")
    }
  }

  @Test func fieldsAreGrantedByTheirNames() throws {
    #expect(try grant("write = title, votes", whole) == AccessGrant(write: [[0], [7]]))
    #expect(try grant("write = all", whole) == AccessGrant(write: [[]]))
    #expect(try grant("write = none", whole) == AccessGrant())
    #expect(try grant("write = planner.votes", wider) == AccessGrant(write: [[0, 7]]))
    #expect(try grant("write = planner", wider) == AccessGrant(write: [[0]]))
  }

  @Test func theEffectiveConfigurationIsAnEquivalentFile() throws {
    for schema in [whole, wider] {
      let text = schema == whole ? "write = title, votes" : "write = planner.title"
      var configuration = try OperatorConfiguration(owner: 7)
      try configuration.read([(file: "hub.conf", text: "[user 1001]\n\(text)")], schema: schema)
      let printed = configuration.text(for: schema)
      #expect(printed.contains(text))
      var again = try OperatorConfiguration(owner: 7)
      try again.read([(file: "printed.conf", text: printed)], schema: schema)
      #expect(again.policy == configuration.policy)
    }
    let app = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    #expect(!(try OperatorConfiguration(owner: 7)).text(for: app).contains("write"))
  }

  @Test func whatIsNoFieldOfASharedModelIsReported() {
    #expect(
      problem("write = title.x", whole)
        == "hub.conf:2: 'title.x' is not a path of this hub: 'title' is a field of a shared model, which is granted as a whole"
    )
    #expect(
      problem("write = titel", whole)
        == "hub.conf:2: 'titel' is not a path of this hub: SharedChange has no case 'titel'; did you mean 'title'?")
    #expect(
      problem("write = opened", wider)
        == "hub.conf:2: 'opened' is not a path of this hub: 'opened' is an action and no field of a shared model")
    let app = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    #expect(
      problem("write = counter", app)
        == """
        hub.conf:2: 'write' grants changes of a shared model, which this hub does not have; grant actions with 'act'
        """)
  }
}
