// A shared feature needs one import: the macros' expansions name both modules.
@_exported public import ComposableCore
@_exported public import Wire
