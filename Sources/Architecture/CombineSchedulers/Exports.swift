// As Combine does: code that uses the schedulers of queues need not import Dispatch.
@_exported public import Dispatch
