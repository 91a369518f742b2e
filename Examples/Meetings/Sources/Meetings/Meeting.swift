import ComposableArchitecture
import ReplicatedFoundation

/// A team's recurring meeting.
@Replicated
public struct Meeting: Codable, Equatable, Identifiable, Sendable {
  public let id: UUID
  public var title = ""
  public var rhythm = Rhythm.weekly
  public var agenda: IdentifiedArrayOf<Topic> = []
  public var members: IdentifiedArrayOf<Member> = []
  /// The records of past meetings, the latest first.
  public var records: IdentifiedArrayOf<Record> = []

  public init(
    id: UUID,
    title: String = "",
    rhythm: Rhythm = Rhythm.weekly,
    agenda: IdentifiedArrayOf<Topic> = [],
    members: IdentifiedArrayOf<Member> = [],
    records: IdentifiedArrayOf<Record> = []
  ) {
    self.id = id
    self.title = title
    self.rhythm = rhythm
    self.agenda = agenda
    self.members = members
    self.records = records
  }

  /// The planned length in minutes.
  public var length: Int { agenda.reduce(0) { $0 + $1.minutes } }
}

@Replicated
public enum Rhythm: String, CaseIterable, Codable, Sendable {
  case daily, weekly, monthly
}

/// An item of the agenda.
@Replicated
public struct Topic: Codable, Equatable, Identifiable, Sendable {
  public let id: UUID
  public var title = ""
  public var minutes = 5

  public init(id: UUID, title: String = "", minutes: Int = 5) {
    self.id = id
    self.title = title
    self.minutes = minutes
  }
}

@Replicated
public struct Member: Codable, Equatable, Identifiable, Sendable {
  public let id: UUID
  public var name = ""

  public init(id: UUID, name: String = "") {
    self.id = id
    self.name = name
  }
}

/// The record of one meeting that was held.
@Replicated
public struct Record: Codable, Equatable, Identifiable, Sendable {
  public let id: UUID
  public let date: Date
  public var transcript: String

  public init(id: UUID, date: Date, transcript: String) {
    self.id = id
    self.date = date
    self.transcript = transcript
  }
}
