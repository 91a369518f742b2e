// A daemon needs one import beside those of its feature: the loop, and the engine and the limits that it gives a server.
@_exported public import EventLoop
@_exported public import HubCore
