package import SchemaNames
package import Wire

/// What a browser knows of its hub: the schema, and what follows from it.
package struct HubDescription: Equatable, Sendable {
  package let name: String
  package let schema: Schema
  /// The documentation comments of the schema.
  package let documentation: SchemaDocumentation
  /// True if this user may read the list of clients and the metrics.
  package var mayReadHub: Bool
  /// True if the journal can be read.
  package var hasJournal: Bool
  /// The number of elements that all windows of this client may have; 0 if the hub serves none.
  package var windowLimit: Int
  /// What this user may read and send; nil if everything, or if the hub does not say.
  package var rights: ClientRights?
  /// All actions, in the order of their declaration.
  package let actions: [ActionEntry]
  /// The places of alerts and dialogs.
  package let prompts: [PromptPlace]
  /// The places of what else features present.
  package let presentations: [PresentationPlace]
  /// The parts that can be changed in place.
  package let sharedParts: [SharedPart]

  /// Describes a hub.
  /// - Complexity: O(actions × collections of the schema).
  package init(
    _ name: String, _ schema: Schema, documentation: SchemaDocumentation = SchemaDocumentation(),
    mayReadHub: Bool = false, hasJournal: Bool = false, windowLimit: Int = 0, rights: ClientRights? = nil
  ) {
    (self.name, self.schema, self.mayReadHub, self.hasJournal) = (name, schema, mayReadHub, hasJournal)
    (self.windowLimit, self.documentation, self.rights) = (windowLimit, documentation, rights)
    func maySend(_ path: [PathStep]) -> Bool { rights?.permitActions(of: path, in: schema) ?? true }
    actions = schema.actionEntries(documentation).filter { maySend($0.path) }
    prompts = schema.promptPlaces.filter { rights?.permitAttaching(named: $0.path, in: schema) ?? true }
    presentations = schema.presentationPlaces.filter { rights?.permitAttaching(named: $0.path, in: schema) ?? true }
    sharedParts = schema.sharedParts.filter { maySend($0.action) }
  }

  // All else follows from the schema.
  package static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.schema == b.schema && a.mayReadHub == b.mayReadHub && a.hasJournal == b.hasJournal
      && a.windowLimit == b.windowLimit && a.rights == b.rights
  }
}
