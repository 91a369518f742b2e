@_exported public import RxComposableArchitecture

@_exported public import struct EarlierTesting.TestStoreTask
