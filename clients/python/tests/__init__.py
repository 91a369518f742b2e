"""The tests of the package."""

import dataclasses

import storehub
from storehub import Options, blocking

# The defaults of ten seconds are for people who wait; a busy machine may pause a hub for longer.
for connect in (storehub.connect, blocking.connect):
    connect.__kwdefaults__["wait"] = 120.0
defaults = tuple(120.0 if field.name == "timeout" else field.default for field in dataclasses.fields(Options))
setattr(Options.__init__, "__defaults__", defaults)
