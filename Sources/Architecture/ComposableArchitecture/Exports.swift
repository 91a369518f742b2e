// The imports of an app: the architecture, and the dependencies of Foundation. They are separate, because programs that
// link only `ComposableCore` do not load all of Foundation.
@_exported public import ComposableCore
@_exported public import DependenciesFoundation
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import Perception
