import Counter
import StoreHub

let loop = try EventLoop()
try loop.drainMainQueue()
var limits = HubLimits()
limits.connections = 8
let engine = FeatureEngine(initialState: Counter.State(), reducer: Counter())
let log = Log(program: "counterd", level: .warning)
let server = try HubServer(engine, limits: limits, loop: loop, path: CommandLine.arguments[1], log: log)
loop.run()
