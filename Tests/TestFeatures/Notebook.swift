public import IdentifiedCollections
public import Wire

/// A shared model for programs that edit it at the same time.
@Replicated
public struct Notebook: Equatable, Sendable {
  @Replicated
  public struct Note: Equatable, Identifiable, Sendable {
    public let id: String
    public var title: String
    public var stars = 0
    public var tags: Set<String> = []

    public init(id: String, title: String) { (self.id, self.title) = (id, title) }
  }

  public var notes: IdentifiedArrayOf<Note> = []
  /// The number of edits.
  public var edits: SharedCounter = 0
  /// The last edit of each editor.
  public var editors: [String: Int] = [:]

  public init() {}
}
