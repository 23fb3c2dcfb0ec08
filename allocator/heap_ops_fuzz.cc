// The operation lists of heap_ops_testing.h as a fuzz target.
//
//   bazel run --config=fuzz //allocator:heap_ops_fuzz -- allocator/heap_ops_corpus
//
// In builds without libFuzzer heap_fuzz_test.cc calls the same function with the
// corpus and with random inputs.
#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_ops_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidepool::testing::RunFuzzInput(data, size);
  return 0;
}
