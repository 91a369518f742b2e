@_exported public import Reducers
@_exported public import Sharing
