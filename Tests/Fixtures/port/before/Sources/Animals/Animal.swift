// The model, in a module of its own.

import Foundation

/// An animal of the shelter.
public struct Animal: Equatable, Identifiable, Sendable {
  public let id: UUID
  public var name: String  // as its people call it
  public var species: Species
  var notes = ""

  public init(id: UUID, name: String, species: Species) {
    (self.id, self.name, self.species) = (id, name, species)
  }
}

public enum Species: String, CaseIterable, Sendable { case cat, dog, other }
