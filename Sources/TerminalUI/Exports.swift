// A view needs only this import besides its feature: stores, and the keys, styles and sizes of terminals.
@_exported public import ComposableCore
@_exported public import Terminal
