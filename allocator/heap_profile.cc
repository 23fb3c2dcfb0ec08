// Writes profile.proto by hand: the few messages and fields a heap profile needs.
// Field numbers are those of github.com/google/pprof/proto/profile.proto.
#include "tidepool/allocator/heap_profile.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "tidepool/base/os.h"

namespace tidepool {
namespace {

// --- Protocol buffers: a varint, and a field of bytes. ---
void Varint(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}
void Number(std::string* out, unsigned field, uint64_t value) {
  if (value == 0) return;  // the default
  Varint(out, field << 3);
  Varint(out, value);
}
void Message(std::string* out, unsigned field, const std::string& bytes) {
  Varint(out, (field << 3) | 2);
  Varint(out, bytes.size());
  *out += bytes;
}

uint32_t Crc32(const std::string& data) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c >> 1) ^ ((c & 1) != 0 ? 0xedb88320u : 0);
    table[i] = c;
  }
  uint32_t crc = ~0u;
  for (unsigned char byte : data) crc = table[(crc ^ byte) & 255] ^ (crc >> 8);
  return ~crc;
}

// RFC 1952 around RFC 1951's stored blocks.
std::string Gzip(const std::string& data) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const auto little = [&out](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  };
  size_t at = 0;
  do {
    const size_t n = data.size() - at < 65535 ? data.size() - at : 65535;
    out.push_back(at + n == data.size() ? 1 : 0);
    little(static_cast<uint32_t>(n), 2);
    little(~static_cast<uint32_t>(n), 2);
    out.append(data, at, n);
    at += n;
  } while (at < data.size());
  little(Crc32(data), 4);
  little(static_cast<uint32_t>(data.size()), 4);
  return out;
}

// Builds the tables of strings, functions, locations and mappings.
class Writer {
 public:
  Writer() {
    String("");
    ReadMappings();
  }

  int64_t String(const std::string& text) {
    const auto [it, fresh] = strings_.emplace(text, strings_.size());
    if (fresh) Message(&string_table_, 6, text);
    return static_cast<int64_t>(it->second);
  }

  // A frame of the embedder's.
  uint64_t Location(const ProfileFrame& frame) {
    uint64_t& id = script_[&frame];
    if (id != 0) return id;
    id = ++locations_made_;
    std::string line, location;
    Number(&line, 1, Function(frame.function, frame.file));
    Number(&line, 2, static_cast<uint64_t>(frame.line > 0 ? frame.line : 0));
    Number(&location, 1, id);
    Message(&location, 4, line);
    Message(&locations_, 4, location);
    return id;
  }

  // A native return address; the call is the byte before it.
  uint64_t Location(uintptr_t address) {
    uint64_t& id = native_[address];
    if (id != 0) return id;
    id = ++locations_made_;
    std::string location;
    Number(&location, 1, id);
    for (const Mapping& m : mappings_) {
      if (address - 1 >= m.start && address - 1 < m.limit) Number(&location, 2, m.id);
    }
    Number(&location, 3, address - 1);
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(address - 1), &info) != 0 &&
        info.dli_sname != nullptr) {
      std::string line;
      Number(&line, 1, Function(Demangled(info.dli_sname), info.dli_fname));
      Message(&location, 4, line);
    }
    Message(&locations_, 4, location);
    return id;
  }

  std::string ValueType(const char* type, const char* unit) {
    std::string out;
    Number(&out, 1, static_cast<uint64_t>(String(type)));
    Number(&out, 2, static_cast<uint64_t>(String(unit)));
    return out;
  }
  std::string Label(const char* key, const std::string& text) {
    std::string out;
    Number(&out, 1, static_cast<uint64_t>(String(key)));
    Number(&out, 2, static_cast<uint64_t>(String(text)));
    return out;
  }
  std::string Label(const char* key, uint64_t number, const char* unit) {
    std::string out;
    Number(&out, 1, static_cast<uint64_t>(String(key)));
    Number(&out, 3, number);
    Number(&out, 4, static_cast<uint64_t>(String(unit)));
    return out;
  }

  // The whole profile, around the samples.
  std::string Finish(const std::string& samples, uint64_t period) {
    std::string out;
    Message(&out, 1, ValueType("inuse_objects", "count"));
    Message(&out, 1, ValueType("inuse_space", "bytes"));
    out += samples;
    for (const Mapping& m : mappings_) {
      std::string mapping;
      Number(&mapping, 1, m.id);
      Number(&mapping, 2, m.start);
      Number(&mapping, 3, m.limit);
      Number(&mapping, 4, m.offset);
      Number(&mapping, 5, static_cast<uint64_t>(String(m.file)));
      Message(&out, 3, mapping);
    }
    out += locations_ + functions_;
    const std::string period_type = ValueType("space", "bytes");
    const uint64_t chosen = static_cast<uint64_t>(String("inuse_space"));
    Number(&out, 9, static_cast<uint64_t>(time(nullptr)) * 1000000000u);
    Message(&out, 11, period_type);
    Number(&out, 12, period);
    Number(&out, 14, chosen);
    return out + string_table_;
  }

 private:
  struct Mapping {
    uint64_t id, start, limit, offset;
    std::string file;
  };

  static std::string Demangled(const char* name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string out = status == 0 && text != nullptr ? text : name;
    free(text);
    return out;
  }

  uint64_t Function(const std::string& name, const std::string& file) {
    uint64_t& id = function_ids_[name + '\n' + file];
    if (id != 0) return id;
    id = function_ids_.size();
    std::string function;
    Number(&function, 1, id);
    Number(&function, 2, static_cast<uint64_t>(String(name)));
    Number(&function, 3, static_cast<uint64_t>(String(name)));
    Number(&function, 4, static_cast<uint64_t>(String(file)));
    Message(&functions_, 5, function);
    return id;
  }

  void ReadMappings() {
    FILE* maps = fopen("/proc/self/maps", "re");
    if (maps == nullptr) return;
    char line[1024];
    while (fgets(line, sizeof(line), maps) != nullptr) {
      unsigned long start, limit, offset;
      char rights[8], file[768] = "";
      if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %767[^\n]", &start, &limit, rights,
                 &offset, file) >= 4 &&
          strchr(rights, 'x') != nullptr && file[0] == '/') {
        mappings_.push_back({mappings_.size() + 1, start, limit, offset, file});
      }
    }
    fclose(maps);
  }

  std::map<std::string, size_t> strings_;
  std::string string_table_, locations_, functions_;
  std::vector<Mapping> mappings_;
  std::map<const ProfileFrame*, uint64_t> script_;
  std::map<uintptr_t, uint64_t> native_;
  std::map<std::string, uint64_t> function_ids_;
  uint64_t locations_made_ = 0;
};

}  // namespace

std::string HeapProfile(const HeapDomain& domain,
                        absl::FunctionRef<std::string(const HeapSample&)> type_name) {
  Writer writer;
  // Samples with the same stack and labels are one.
  struct Sum {
    double objects = 0, bytes = 0;
  };
  std::map<std::string, Sum> sums;
  domain.VisitSamples([&](const HeapSample& sample) {
    std::string ids, out;
    for (size_t i = 0; i < sample.frame_count; ++i) {
      Varint(&ids, writer.Location(*sample.frames[i]));
    }
    for (size_t i = 0; i < sample.stack_count; ++i) {
      Varint(&ids, writer.Location(sample.stack[i]));
    }
    Message(&out, 1, ids);
    Message(&out, 3, writer.Label("kind", HeapKindName(sample.kind)));
    const std::string type = type_name(sample);
    if (!type.empty()) Message(&out, 3, writer.Label("type", type));
    Message(&out, 3, writer.Label("bytes", sample.size, "bytes"));
    Sum& sum = sums[out];
    sum.objects += sample.weight;
    sum.bytes += sample.weight * static_cast<double>(sample.size);
  });
  std::string samples;
  for (const auto& [start, sum] : sums) {
    std::string sample = start, values;
    Varint(&values, static_cast<uint64_t>(std::llround(sum.objects)));
    Varint(&values, static_cast<uint64_t>(std::llround(sum.bytes)));
    Message(&sample, 2, values);
    Message(&samples, 2, sample);
  }
  return Gzip(writer.Finish(samples, domain.HeapProfileInterval()));
}

}  // namespace tidepool
