@_exported public import RandomNumbers
