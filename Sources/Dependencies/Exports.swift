@_exported public import ConcurrencyExtras
