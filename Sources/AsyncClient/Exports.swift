// A client needs only one import besides its feature.
@_exported public import Senders
@_exported public import Wire

@_exported public import enum ReplicaCore.ActionError
@_exported public import enum ReplicaCore.ConnectionState
@_exported public import struct ReplicaCore.Divergence
@_exported public import struct ReplicaCore.ReplicaOptions
