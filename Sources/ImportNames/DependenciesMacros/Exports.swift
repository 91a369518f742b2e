// The module name of upstream's macros, so that its import line compiles: the macros are part of `Dependencies`.
@_exported public import Dependencies
