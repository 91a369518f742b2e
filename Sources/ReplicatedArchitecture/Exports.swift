// A feature that is shared needs one import: the macros' expansions name both modules.
@_exported public import ComposableArchitecture
@_exported public import Wire
