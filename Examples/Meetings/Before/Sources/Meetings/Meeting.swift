import ComposableArchitecture

/// A team's recurring meeting.
struct Meeting: Codable, Equatable, Identifiable {
  let id: UUID
  var title = ""
  var rhythm = Rhythm.weekly
  var agenda: IdentifiedArrayOf<Topic> = []
  var members: IdentifiedArrayOf<Member> = []
  /// The records of past meetings, the latest first.
  var records: IdentifiedArrayOf<Record> = []

  /// The planned length in minutes.
  var length: Int { agenda.reduce(0) { $0 + $1.minutes } }
}

enum Rhythm: String, CaseIterable, Codable {
  case daily, weekly, monthly
}

/// An item of the agenda.
struct Topic: Codable, Equatable, Identifiable {
  let id: UUID
  var title = ""
  var minutes = 5
}

struct Member: Codable, Equatable, Identifiable {
  let id: UUID
  var name = ""
}

/// The record of one meeting that was held.
struct Record: Codable, Equatable, Identifiable {
  let id: UUID
  let date: Date
  var transcript: String
}

extension SharedKey where Self == FileStorageKey<IdentifiedArrayOf<Meeting>>.Default {
  /// All meetings, in a file.
  static var meetings: Self {
    Self[.fileStorage(.documentsDirectory.appending(component: "meetings.json")), default: []]
  }
}
