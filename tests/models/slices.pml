/* slices.pml: a collection in slices beside a mutator without a write barrier.
 *
 * N blocks with one slot each, a root, two registers of the mutator (its stack), in any
 * state to begin with. The mutator does up to K steps of any kind, between any two stops
 * of the collector.
 * Reference counts are exact (each step of the mutator is atomic). What loses its last
 * reference is freed at once, and its block may be used again.
 *
 * The collector: ages all objects, block by block; visits the roots; follows hints
 * (addresses) in any order, leaves off whenever it likes; then puts any set of old,
 * unmarked objects to trial, until none is left; then all that was tried, together.
 *
 * Asserted: nothing that is freed can be reached (SAFE); what was garbage when the pass
 * began is gone when it ends (WHOLE).
 */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 5
#endif
#define NIL 7

bool live[N];
byte slot[N] = NIL;
byte rc[N];
byte age[N];      /* 0 new, 1 was there, 2 marked, 3 tried */
bool gone0[N];    /* was garbage when the pass began, and is still there */
bool hint[N];
bool saved[N];
byte root = NIL;
byte reg[2] = NIL;
bool inS[N]; short refs[N]; bool out[N]; bool reach[N];
byte budget = K;
bool begun;

/* who can be reached from root and registers */
inline Reach() {
  for (a : 0 .. N - 1) { reach[a] = (root == a || reg[0] == a || reg[1] == a) }
  for (b : 0 .. N - 1) {
    for (a : 0 .. N - 1) {
      if :: reach[a] && slot[a] != NIL -> reach[slot[a]] = true :: else fi
    }
  }
}
/* a reference to x goes; what dies of it takes its own along */
inline Drop(x) {
  d = x;
  do
  :: d != NIL ->
     assert(live[d] && rc[d] > 0);
     rc[d]--;
     if
     :: rc[d] == 0 -> live[d] = false; age[d] = 0; gone0[d] = false; e = slot[d]; slot[d] = NIL; d = e
     :: else -> d = NIL
     fi
  :: else -> break
  od
}
inline Trial() {   /* of inS, in one stop */
  for (a : 0 .. N - 1) { refs[a] = rc[a]; out[a] = false }
  for (a : 0 .. N - 1) {
    if :: inS[a] && slot[a] != NIL && inS[slot[a]] -> refs[slot[a]]-- :: else fi
  }
  Settle()
}
inline Settle() {
  for (a : 0 .. N - 1) { if :: inS[a] && refs[a] > 0 -> out[a] = true :: else fi }
#ifndef M_NO_PROPAGATE
  for (b : 0 .. N - 1) {
    for (a : 0 .. N - 1) {
      if :: inS[a] && out[a] && slot[a] != NIL && inS[slot[a]] -> out[slot[a]] = true :: else fi
    }
  }
#endif
  Reach();
  for (a : 0 .. N - 1) {
    if
    :: inS[a] && !out[a] -> assert(!reach[a])        /* SAFE */
    :: inS[a] && out[a] -> age[a] = (leftovers -> 2 : 3); saved[a] = reach[a]
    :: else
    fi
  }
  for (a : 0 .. N - 1) {   /* clear, drop, free: references to what is no garbage go */
    if
    :: inS[a] && !out[a] ->
       e = slot[a]; slot[a] = NIL;
       if :: e != NIL && !(inS[e] && !out[e]) -> f = e; Drop(f) :: e != NIL && inS[e] && !out[e] -> rc[e]-- :: else fi
    :: else
    fi
  }
  for (a : 0 .. N - 1) {
    if :: inS[a] && !out[a] -> live[a] = false; age[a] = 0; rc[a] = 0; gone0[a] = false :: else fi;
    inS[a] = false
  }
}

/* any graph; what nobody refers to is no object */
inline Begin() {
  for (a : 0 .. N - 1) {
    live[a] = true;
    if :: slot[a] = NIL :: select(b : 0 .. N - 1); slot[a] = b fi
  }
  if :: root = NIL :: select(b : 0 .. N - 1); root = b fi;
  if :: reg[0] = NIL :: select(b : 0 .. N - 1); reg[0] = b fi;
  if :: root != NIL -> rc[root]++ :: else fi;
  if :: reg[0] != NIL -> rc[reg[0]]++ :: else fi;
  for (a : 0 .. N - 1) { if :: slot[a] != NIL -> rc[slot[a]]++ :: else fi }
  for (b : 0 .. N - 1) {
    for (a : 0 .. N - 1) {
      if
      :: live[a] && rc[a] == 0 -> live[a] = false;
         if :: slot[a] != NIL -> rc[slot[a]]-- :: else fi;
         slot[a] = NIL
      :: else
      fi
    }
  }
}

active proctype Mutator() {
  byte x, y, d, e;
  begun;
  do
  :: budget > 0 -> atomic {
     budget--;
     if
     :: select(x : 0 .. N - 1); select(y : 0 .. 1);          /* allocate */
        if :: !live[x] -> live[x] = true; rc[x] = 1; age[x] = 0; slot[x] = NIL;
              e = reg[y]; reg[y] = x; x = e; Drop(x)
           :: else fi
     :: select(y : 0 .. 1);                                   /* root -> register */
        if :: root != NIL -> rc[root]++; x = reg[y]; reg[y] = root; Drop(x) :: else fi
     :: select(y : 0 .. 1);                                   /* slot -> other register */
        if :: reg[y] != NIL && slot[reg[y]] != NIL ->
              rc[slot[reg[y]]]++; x = reg[1 - y]; reg[1 - y] = slot[reg[y]]; Drop(x)
           :: else fi
     :: select(y : 0 .. 1);                                   /* register -> slot */
        if :: reg[y] != NIL && reg[1 - y] != NIL ->
              rc[reg[1 - y]]++; x = slot[reg[y]]; slot[reg[y]] = reg[1 - y]; Drop(x)
           :: else fi
     :: select(y : 0 .. 1);                                   /* register -> root */
        if :: reg[y] != NIL -> rc[reg[y]]++; x = root; root = reg[y]; Drop(x) :: else fi
     :: select(y : 0 .. 1); x = reg[y]; reg[y] = NIL; Drop(x)
     :: x = root; root = NIL; Drop(x)
     :: select(y : 0 .. 1);                                   /* slot = null */
        if :: reg[y] != NIL -> x = slot[reg[y]]; slot[reg[y]] = NIL; Drop(x) :: else fi
     fi;
     x = 0; y = 0; d = 0; e = 0
     }
  :: budget == 0 -> break
  od
}

active proctype Collector() {
  byte i, a, b, d, e, f;
  bool leftovers;
  atomic { Begin(); begun = true; Reach(); for (a : 0 .. N - 1) { gone0[a] = live[a] && !reach[a] } a = 0; b = 0 }
  for (i : 0 .. N - 1) {                                      /* age */
    atomic { if :: live[i] -> age[i] = 1 :: else fi }
  }
  atomic {                                                    /* roots */
    if :: root != NIL -> hint[root] = true :: else fi;
    if :: reg[0] != NIL -> hint[reg[0]] = true :: else fi;
    if :: reg[1] != NIL -> hint[reg[1]] = true :: else fi
  }
  do                                                          /* mark, by hints */
  :: atomic { select(i : 0 .. N - 1);
     if
     :: hint[i] -> hint[i] = false;
#ifdef M_TRUST_HINTS
        assert(live[i]);
#endif
        if :: live[i] && age[i] != 2 -> age[i] = 2;
              if :: slot[i] != NIL -> hint[slot[i]] = true :: else fi
           :: else fi
     :: else
     fi }
  :: atomic { for (a : 0 .. N - 1) { hint[a] = false } a = 0 } break   /* done, or cut off */
  od;
  for (i : 0 .. N - 1) {                                      /* pieces, any of them */
    atomic {
      if
      :: live[i] && age[i] == 1 ->
         inS[i] = true;
         for (f : 0 .. N - 1) {
           if :: live[f] && age[f] == 1 -> inS[f] = true
              :: true
           fi
         }
#ifndef M_CUT_TRIAL
         Trial()
#endif
      :: else
      fi; a = 0; b = 0; d = 0; e = 0; f = 0 }
#ifdef M_CUT_TRIAL
    /* counts taken in one stop, settled in another */
    atomic {
      for (a : 0 .. N - 1) { refs[a] = rc[a]; out[a] = false }
      for (a : 0 .. N - 1) {
        if :: inS[a] && slot[a] != NIL && inS[slot[a]] -> refs[slot[a]]-- :: else fi
      } a = 0 }
    atomic { for (a : 0 .. N - 1) { inS[a] = inS[a] && live[a] } Settle(); a = 0; b = 0; d = 0; e = 0; f = 0 }
#endif
  }
  atomic {
    leftovers = true;
#ifndef M_NO_LEFTOVERS
    for (i : 0 .. N - 1) { inS[i] = live[i] && age[i] == 3 }
    Trial();
#endif
    for (i : 0 .. N - 1) { assert(!gone0[i]) }                /* WHOLE */
#ifdef WITNESS
    /* a live object that nobody marked was saved by its count */
    for (i : 0 .. N - 1) { assert(!(live[i] && saved[i])) }
#endif
  }
}
