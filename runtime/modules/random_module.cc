// Module _random: the generator; what is built on it is Python (lib/random.py).
#include <time.h>
#include <unistd.h>

#include <vector>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/mersenne.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/modules/sha512.h"

namespace tidepool::rt {
namespace {

struct Generator : Object {
  Mersenne mersenne;   // under the object mutex
};

Mersenne& Of(Value self) { return self.as<Generator>()->mersenne; }

// The magnitude of an integer, as 32-bit words, lowest first.
std::vector<uint32_t> Words(Value v) {
  IntView view(v);
  std::vector<uint32_t> words;
  for (size_t i = 0; i < view.size(); i++) {
    words.push_back(static_cast<uint32_t>(view.limbs()[i]));
    words.push_back(static_cast<uint32_t>(view.limbs()[i] >> 32));
  }
  while (!words.empty() && words.back() == 0) words.pop_back();
  return words;
}

std::vector<uint32_t> WordsOf64(uint64_t n) {
  std::vector<uint32_t> words = {static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32)};
  while (!words.empty() && words.back() == 0) words.pop_back();
  return words;
}

std::vector<uint32_t> WordsFromSystem() {
  std::vector<uint32_t> words(Mersenne::kWords);
  if (RealOs()->RandomBytes(words.data(), words.size() * sizeof(uint32_t))) return words;
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return {static_cast<uint32_t>(t.tv_nsec), static_cast<uint32_t>(t.tv_sec), static_cast<uint32_t>(::getpid())};
}

bool Seed(Context& cx, Value self, Value seed) {
  std::vector<uint32_t> words;
  if (!seed || seed == cx.None()) {
    words = WordsFromSystem();
  } else if (IsInt(seed)) {
    words = Words(seed);
  } else {
    int64_t hash;
    if (!Hash(cx, seed, &hash)) return false;
    words = WordsOf64(static_cast<uint64_t>(hash));
  }
  ObjectLock lock(cx.ts, self.object());
  Of(self).Seed(words.data(), words.size());
  return true;
}

Ref GeneratorCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "Random", args) || !CheckArgCount(cx, "Random", args, 0, 1)) return nullptr;
  Ref r = NewInstance(cx, cls);
  if (!r || !Seed(cx, r, args.Get(0))) return nullptr;
  return r;
}

Ref GeneratorSeed(Context& cx, Value self, const Args& args) {
  if (!Seed(cx, self, args.Get(0))) return nullptr;
  return cx.NoneRef();
}

Ref GeneratorRandom(Context& cx, Value self, const Args&) {
  double d;
  {
    ObjectLock lock(cx.ts, self.object());
    d = Of(self).NextDouble();
  }
  return NewFloat(cx, d);
}

Ref GetRandBits(Context& cx, Value self, const Args& args) {
  int64_t bits;
  if (!ToInt32(cx, args[0], &bits)) return nullptr;
  if (bits < 0) return RaiseValueError(cx, "number of bits must be non-negative");
  if (bits == 0) return Ref::Small(0);
  if (bits <= 32) {
    ObjectLock lock(cx.ts, self.object());
    return Ref::Small(Of(self).Next() >> (32 - bits));
  }
  const size_t n = static_cast<size_t>((bits - 1) / 32) + 1;
  uint32_t* words = static_cast<uint32_t*>(AllocateRaw(cx, n * sizeof(uint32_t)));
  if (words == nullptr) return nullptr;
  {
    ObjectLock lock(cx.ts, self.object());
    for (size_t i = 0; i < n; i++, bits -= 32) {
      words[i] = Of(self).Next();
      if (bits < 32) words[i] >>= 32 - bits;
    }
  }
  Ref result = NewIntFromLimbs(cx, words, n, false);
  FreeRaw(cx, words);
  return result;
}

// below(n): a number in [0, n) by the getrandbits calls that CPython's _randbelow makes. None if n is not small.
Ref Below(Context& cx, Value self, const Args& args) {
  if (!args[0].is_small_int() || args[0].small_int() <= 0) return cx.NoneRef();  // not for this
  const auto n = static_cast<uint64_t>(args[0].small_int());
  const int bits = 64 - __builtin_clzll(n);
  uint64_t r;
  ObjectLock lock(cx.ts, self.object());
  do {
    // As GetRandBits: words from the lowest, the last one shortened.
    r = bits <= 32 ? Of(self).Next() >> (32 - bits) : Of(self).Next();
    if (bits > 32) r |= static_cast<uint64_t>(Of(self).Next() >> (64 - bits)) << 32;
  } while (r >= n);
  return Ref::Small(static_cast<int64_t>(r));
}

Ref GetState(Context& cx, Value self, const Args&) {
  uint32_t words[Mersenne::kWords];
  int index;
  {
    ObjectLock lock(cx.ts, self.object());
    std::copy(Of(self).words, Of(self).words + Mersenne::kWords, words);
    index = Of(self).index;
  }
  Value items[Mersenne::kWords + 1];
  for (int i = 0; i < Mersenne::kWords; i++) items[i] = Value::Small(words[i]);
  items[Mersenne::kWords] = Value::Small(index);
  return NewTuple(cx, items, Mersenne::kWords + 1);
}

Ref SetState(Context& cx, Value self, const Args& args) {
  Tuple* state = As<Tuple>(args[0]);
  if (state == nullptr) return RaiseTypeError(cx, "state vector must be a tuple");
  if (state->size() != Mersenne::kWords + 1) return RaiseValueError(cx, "state vector is the wrong size");
  int64_t words[Mersenne::kWords + 1];
  for (size_t i = 0; i < state->size(); i++) {
    if (!ToInt64(cx, state->Get(i), &words[i])) return nullptr;
  }
  if (words[Mersenne::kWords] < 0 || words[Mersenne::kWords] > Mersenne::kWords) {
    return RaiseValueError(cx, "invalid state");
  }
  ObjectLock lock(cx.ts, self.object());
  for (int i = 0; i < Mersenne::kWords; i++) Of(self).words[i] = static_cast<uint32_t>(words[i]);
  Of(self).index = static_cast<int>(words[Mersenne::kWords]);
  return cx.NoneRef();
}

Ref Sha512Function(Context& cx, Value, const Args& args) {
  BufferView view(cx);
  if (!view.Open(args[0])) return nullptr;
  unsigned char digest[64];
  Sha512(view.data(), view.size(), digest);
  return NewBytes(cx, digest, sizeof digest);
}

const MethodDef kGeneratorMethods[] = {
    {"seed", GeneratorSeed, 0, 1},
    {"random", GeneratorRandom, 0, 0},
    {"getrandbits", GetRandBits, 1, 1},
    {"below", Below, 1, 1},
    {"getstate", GetState, 0, 0},
    {"setstate", SetState, 1, 1},
    {},
};

const MethodDef kFunctions[] = {
    {"sha512", Sha512Function, 1, 1},
    {},
};

bool InitModule(Context& cx, Module* module) {
  static const NativeType type = [] {
    NativeType t;
    t.name = "Random";
    t.module = "_random";
    t.size = sizeof(Generator);
    t.flags = kTypeSubclassable;
    t.slots.create = GeneratorCreate;
    t.methods = kGeneratorMethods;
    return t;
  }();
  Class* cls = DefineType(cx, type);
  return cls != nullptr && AddToModule(cx, module, "Random", cls);
}

}  // namespace

const ModuleDef kRandomModule = {"_random", kFunctions, InitModule};

}  // namespace tidepool::rt
