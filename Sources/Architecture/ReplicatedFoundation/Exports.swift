// One import for a shared feature whose state or actions have types of Foundation.
@_exported public import ReplicatedArchitecture
