// A daemon needs one import beside that of its feature: the service with its reducer and dependencies, and the loop, the
// engine and the limits of a server.
@_exported public import Dependencies
@_exported public import EventLoop
@_exported public import HubCore
@_exported public import Reducers
@_exported public import Wire
