// A client needs only one import besides its feature: its store, the loop, and the types for connections, actions and
// parts.
@_exported public import ComposableCore
@_exported public import EventLoop
@_exported public import Wire

@_exported public import enum ReplicaCore.ActionError
@_exported public import enum ReplicaCore.ConnectionState
@_exported public import struct ReplicaCore.Divergence
@_exported public import struct ReplicaCore.ReplicaOptions
