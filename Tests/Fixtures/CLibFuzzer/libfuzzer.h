// The driver of libFuzzer (compiler-rt, fuzzer/FuzzerInterface.h), which comes with the toolchain without a header.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull run)(const uint8_t *_Nullable data, size_t size));
