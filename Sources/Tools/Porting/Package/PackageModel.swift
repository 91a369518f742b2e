/// A package as the tool reads it: its targets, their Swift files, and its manifest.
package struct PackageModel {
  /// What a target is built into.
  package enum Kind: Sendable {
    /// A module that others import, so that what they use must be public.
    case library
    /// A program.
    case executable
  }

  /// A target with code of its own; tests and plugins are no part of the model.
  package struct Target {
    package var name: String
    package var kind: Kind
    /// The names of the products of other packages on which it depends.
    package var products: Set<String> = []
    /// True if an `import` without an access level is internal.
    package var importsAreInternal = false
    package var files: [SourceFile] = []

    package init(name: String, kind: Kind) {
      (self.name, self.kind) = (name, kind)
    }
  }

  package var targets: [Target] = []
  package var manifest: SourceFile?
  /// Files that could not be read.
  package var findings: [Finding] = []

  package init() {}
}
