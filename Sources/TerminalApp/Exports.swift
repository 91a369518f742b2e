// A terminal client needs only this import besides its feature: views, stores, and the loop.
@_exported public import StoreClient
@_exported public import TerminalUI
