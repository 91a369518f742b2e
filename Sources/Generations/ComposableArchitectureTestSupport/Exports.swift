@_exported public import ComposableArchitectureClassic

@_exported public import struct EarlierTesting.TestStoreTask
