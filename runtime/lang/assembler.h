// Collects the instructions of one code unit and lays them out.
//
// Instructions refer to labels while they are emitted; Finish turns labels into distances, fuses superinstructions, finds out
// which LOAD_FASTs need no check, and writes code, exception table and positions.
//
// DEPTH. The assembler follows the depth of the value stack as it emits. Code behind an unconditional jump is unreachable
// until a label is bound that somebody jumps to; emitting there does nothing. So the depth is always known, no
// dead code is written, and a loop whose head is unreachable vanishes.
#ifndef TIDEPOOL_RUNTIME_LANG_ASSEMBLER_H_
#define TIDEPOOL_RUNTIME_LANG_ASSEMBLER_H_

#include <cstdint>
#include <vector>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

using Label = int;

class Assembler {
 public:
  // `budget` counts emitted instructions of the whole compilation; at 0 nothing more is emitted.
  explicit Assembler(int64_t* budget) : budget_(budget) {}

  Label NewLabel();
  void Bind(Label label);
  void Emit(Op op, uint32_t arg, const Position& pos, uint32_t extra = 0);
  void EmitJump(Op op, Label target, const Position& pos);

  // Exception handlers. A region is a set of instructions emitted while its handler is current.
  struct Handler {
    Label label;
    int depth;
  };
  // Opens a region whose handler keeps the current stack but for the top `drop` values; returns its number for EnterRegion.
  int NewHandler(Label label, int drop = 0);
  int region() const { return region_; }              // -1: none
  int EnterRegion(int handler) {                      // returns the region left
    int old = region_;
    region_ = handler;
    return old;
  }
  // Starts the handler's code: the stack holds its depth and the exception.
  void BindHandler(int handler);

  bool reachable() const { return reachable_; }
  int depth() const { return depth_; }

  // False: the code is too large.
  bool Finish(bool superinstructions, CodeUnit* unit);

 private:
  struct Instr {
    Op op;
    bool removed = false;
    uint32_t arg;
    uint32_t extra;
    Label target;  // -1: no jump
    int region;
    Position pos;
  };
  struct LabelInfo {
    int index = -1;  // of the instruction it is bound to
    int depth = -1;
  };

  void Append(Op op, uint32_t arg, uint32_t extra, Label target, const Position& pos);
  void ThreadJumps();
  void CheckBoundness(CodeUnit* unit);
  void Fuse(const CodeUnit& unit);
  bool Layout(CodeUnit* unit);

  int64_t* budget_;
  std::vector<Instr> code_;
  std::vector<LabelInfo> labels_;
  std::vector<Handler> handlers_;
  std::vector<bool> handler_used_;
  int region_ = -1;
  int depth_ = 0;
  int max_depth_ = 0;
  bool reachable_ = true;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_ASSEMBLER_H_
