import TestSupport
import Testing

/// Tests with the single VFS that fails and records; they run one after another.
@Suite(.serialized, .blocking) struct VFSTests {}
