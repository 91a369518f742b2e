// A client needs one import beside that of its feature: its store, the loop, and the types that speak of the connection,
// of actions and of parts.
@_exported public import ComposableCore
@_exported public import EventLoop
@_exported public import Wire

@_exported public import enum ReplicaCore.ActionError
@_exported public import enum ReplicaCore.ConnectionState
@_exported public import struct ReplicaCore.Divergence
@_exported public import struct ReplicaCore.ReplicaOptions
