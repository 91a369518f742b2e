// The module name of swift-navigation, so that its import line compiles: alerts and dialogs are part of `PromptState`.
@_exported public import PromptState
