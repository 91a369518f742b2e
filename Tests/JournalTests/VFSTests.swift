import TestSupport
import Testing

/// Tests with the VFS that fails and records, of which there is one: they run one after another.
@Suite(.serialized, .blocking) struct VFSTests {}
