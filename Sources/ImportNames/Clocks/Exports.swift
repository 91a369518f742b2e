// The module name of swift-clocks, so that its import line compiles: the clocks are part of `Dependencies`.
@_exported public import Dependencies
