// The fuzz target of heap_ops_fuzz.cc in builds without libFuzzer: every input of the
// corpus, and random ones that are cut, joined and changed from it. With
// TIDEPOOL_TEST_SECONDS set it goes on for that many seconds times twenty.
#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/os.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tidepool {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> Corpus() {
  std::vector<Bytes> inputs;
  const std::string folder = "allocator/heap_ops_corpus";
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return inputs;
  while (dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    FILE* file = fopen((folder + "/" + entry->d_name).c_str(), "rb");
    if (file == nullptr) continue;
    Bytes bytes(1 << 14);
    bytes.resize(fread(bytes.data(), 1, bytes.size(), file));
    fclose(file);
    inputs.push_back(bytes);
  }
  closedir(directory);
  return inputs;
}

TEST(HeapFuzzTest, TheCorpus) {
  std::vector<Bytes> inputs = Corpus();
  ASSERT_GE(inputs.size(), 10u);
  for (const Bytes& input : inputs) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}

TEST(HeapFuzzTest, RandomInputs) {
  std::vector<Bytes> corpus = Corpus();
  const char* text = getenv("TIDEPOOL_TEST_SECONDS");
  double seconds = text != nullptr ? atof(text) * 20 : 2;
  uint64_t end = RealOs()->NowNs() + static_cast<uint64_t>(seconds * 1e9);
  uint64_t runs = 0;
  for (uint64_t seed = 1; RealOs()->NowNs() < end || runs < 10; ++seed, ++runs) {
    std::mt19937_64 random(seed);
    Bytes input;
    if (!corpus.empty() && seed % 2 == 0) {
      input = corpus[random() % corpus.size()];
      const Bytes& other = corpus[random() % corpus.size()];
      if (input.size() > 4) input.resize(4 + random() % (input.size() - 4) / 7 * 7);
      if (other.size() > 4) input.insert(input.end(), other.begin() + 4, other.end());
      for (int i = 0; i < 20 && !input.empty(); ++i) {
        input[random() % input.size()] = static_cast<uint8_t>(random());
      }
    } else {
      input.resize(4 + 7 * (random() % 600));
      for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
    }
    SCOPED_TRACE(seed);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  RecordProperty("runs", static_cast<int>(runs));
}

}  // namespace
}  // namespace tidepool
