@_exported public import FeatureCore
@_exported public import Sharing
