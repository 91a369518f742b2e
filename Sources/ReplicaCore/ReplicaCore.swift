// ReplicaCore
