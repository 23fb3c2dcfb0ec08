/* qsbr.pml: quiescent states with store buffers (total store order, as x86-64).
 *
 * A store goes into its process's buffer and reaches memory later, in order; a
 * fence or a read-modify-write waits for the buffer to be empty. Loads read
 * memory (no process here reads what it has buffered itself). So the one thing
 * that total store order leaves open, a load overtaking an older store of its
 * own thread, is in the model; reordered loads (arm64) are not: there the code's
 * acquire loads stand for what this model takes for granted.
 *
 * READER attaches, looks at the object that `ptr` links, is quiescent, looks
 * again, detaches, comes back. RETIRER unlinks the object, takes a goal and polls for it. OTHER
 * advances once and polls at any moment (for a goal of its own).
 * Asserted: what the reader has borrowed is not freed while it looks.
 *
 *   GOAL        the retirer takes its goal without advancing (fence, then load)
 *   M_ATTACH    no fence between the mark and the fresh read in Attach
 *   M_GOAL      no fence before the load in Goal
 *   M_UNMARKED  Attach does not mark the slot before it reads
 *   M_LATE      a scan reads the write sequence after the slots
 *   M_NOW       the goal without advance is the current sequence
 *   STALE_MARK  Attach reads the sequence before it marks, and not again: only
 *               delays (an old sequence is a careful one)
 */
#define SLOT 0
#define PTR  1
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte mem[2];             /* the reader's slot word; 1 if the object is linked */
byte wseq = 1;           /* write sequence: only changed by read-modify-writes */
byte rseq = 1;           /* cached result of scans */
bit  freed;

chan buf[3] = [3] of { byte, byte };

proctype Flush(byte who)
{
  byte where, value;
end:
  do
  :: atomic { buf[who] ? where, value -> mem[where] = value }
  od
}

#define ST(who, where, value)  buf[who] ! where, value
#define FENCE(who)             (len(buf[who]) == 0)
#define LOOK                   p = mem[PTR]; \
                               if :: p -> assert(!freed); assert(!freed) :: else fi

inline scan(who, w, s)
{
#ifdef M_LATE
  s = mem[SLOT];
  w = wseq;
#else
  w = wseq;
  FENCE(who);
  s = mem[SLOT];
#endif
  if :: s != 0 && s < w -> w = s :: else fi;
  atomic { if :: rseq < w -> rseq = w :: else fi };
}

proctype Reader()
{
  byte s, p, n;
  do
  :: n < ROUNDS ->
     n++;
     /* Attach */
#ifdef M_UNMARKED
     s = wseq;
#else
     s = wseq;
     ST(0, SLOT, s);
#ifndef M_ATTACH
     FENCE(0);
#endif
#ifndef STALE_MARK
     s = wseq;
     ST(0, SLOT, s);
#endif
#endif
     LOOK;
     /* Quiesce */
     p = wseq;
     if
     :: p != s -> s = p;
#ifndef M_UNMARKED
        ST(0, SLOT, s)
#endif
     :: else
     fi;
     LOOK;
     /* Detach */
     ST(0, SLOT, 0)
  :: else -> break
  od
}

proctype Retirer()
{
  byte goal, w, s, n;
  ST(1, PTR, 0);
#ifdef GOAL
#ifndef M_GOAL
  FENCE(1);
#endif
#ifdef M_NOW
  goal = wseq;
#else
  goal = wseq + 1;
#endif
#else
  FENCE(1);
  atomic { wseq++; goal = wseq };
#endif
  do
  :: n < 3 ->
     n++;
     if
     :: rseq >= goal -> freed = 1; break
     :: else ->
#ifndef NO_ENSURE
        if :: wseq < goal -> FENCE(1); atomic { if :: wseq < goal -> wseq++ :: else fi }
           :: else
        fi;
#endif
        scan(1, w, s);
        if :: w >= goal -> freed = 1; break :: else fi
     fi
  :: else -> break
  od
}

proctype Other()
{
  byte w, s, n;
  do
  :: n < 2 ->
     n++;
     if
     :: atomic { wseq++ }
     :: scan(2, w, s)
     fi
  :: break
  od
}

init
{
  mem[PTR] = 1;
  atomic {
    run Flush(0); run Flush(1);
    run Reader(); run Retirer(); run Other()
  }
}
