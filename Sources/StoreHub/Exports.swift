// A daemon needs only one import besides its feature: the service with its reducer and dependencies, and the loop,
// engine, limits and log of a server.
@_exported public import Dependencies
@_exported public import EventLoop
@_exported public import FeatureCore
@_exported public import HubCore
@_exported public import ServiceProcess
@_exported public import Wire
