/* list.pml: a list whose array is replaced (resize) while a lock-free reader scans
 * it. The old array keeps its pointers until its QSBR goal (or is zeroed at once);
 * the objects behind them may die and their blocks be used again. SC.
 *
 * Reader: load items, load the slot, TryIncref, re-check the slot.
 * ITEMS_RECHECK: it also re-checks that the list still has this array.
 * CLEAR_OLD: instead, the writer nulls the old slots before anything can be dropped.
 */
#define NB 2                  /* blocks */
short shared[NB]; byte gen[NB]; bit live[NB]; byte hold[NB];
byte slot[2];                 /* one slot in each of two arrays: 0 or block+1 */
byte items;                   /* the list's array: 0 or 1 */
bit  reading;                 /* the reader holds a borrowed array */
bit  mutex;
byte other;                   /* a slot elsewhere, where new objects are published */
/* ghost: object (block, generation) that the list has held since the reader began */
bit  was[8];                  /* was[block*4+gen] */
bit  bad;
byte wdone;

#define IN(b) was[((b)-1)*4 + gen[(b)-1]] = 1

inline Drop(b) {              /* by a thread that is not the owner; objects here are merged */
  atomic {
    shared[b-1] = shared[b-1] - 4; hold[b-1]--;
    if :: shared[b-1] == 3 -> assert(hold[b-1] == 0); live[b-1] = 0 :: else fi
  }
}
inline New(b) {               /* takes any dead block; count 1, merged: others may incref */
  b = 0;
  if
  :: atomic { !live[0] -> live[0] = 1; b = 1 }
  :: atomic { !live[1] -> live[1] = 1; b = 2 }
  fi;
  atomic { gen[b-1] = (gen[b-1] + 1) % 4; hold[b-1] = 1; shared[b-1] = 7 }
}
proctype writer() {           /* list operations, under the list's mutex */
  byte o; byte b; byte c;
  /* resize: move */
  if
  :: c = slot[0]; slot[1] = c; items = 1;
#ifdef CLEAR_OLD
     slot[0] = 0;
#endif
#ifdef ZERO_RAW
     if :: slot[0] = 0 :: true fi;
#endif
     /* replace the item in the new array */
     o = slot[1];
     if
     :: true -> slot[1] = 0
     :: New(b); atomic { slot[1] = b; IN(b) }
     fi;
     Drop(o)
  :: New(b); o = slot[0]; atomic { slot[0] = b; IN(b) };  Drop(o)
  fi;
  wdone++
}
proctype stranger() {         /* makes objects that are never in the list */
  byte b; byte k;
  do
  :: k < 2 && (!live[0] || !live[1]) -> k++;
     if
     :: atomic { !live[0] -> live[0] = 1; b = 1 }
     :: atomic { !live[1] -> live[1] = 1; b = 2 }
     :: else -> b = 0
     fi;
     if :: b -> atomic { gen[b-1] = (gen[b-1] + 1) % 4; hold[b-1] = 1; shared[b-1] = 7 };
           other = b;
           if :: other = 0; Drop(b) :: break fi
        :: else
     fi
  :: true -> break
  od
}
proctype reader() {
  byte arr; byte p; short s; bit ok; byte n;
  do
  :: n < 2 ->
     n++;
     reading = 1;
     arr = items;
     p = slot[arr];
     if
     :: p == 0 -> break       /* null: "changed, take the lock" */
     :: else ->
        do
        :: s = shared[p-1];
           if
           :: s == 0 || s == 3 -> ok = 0; break
           :: else ->
              atomic { if :: shared[p-1] == s -> assert(live[p-1]); shared[p-1] = s + 4; hold[p-1]++; ok = 1; break
                          :: else fi }
           fi
        od;
        if
        :: !ok
        :: else ->
#ifdef ITEMS_FIRST
           if :: items != arr -> Drop(p); reading = 0; goto again :: else fi;
           if :: slot[arr] != p -> Drop(p); reading = 0; goto again :: else fi;
#else
           if :: slot[arr] != p -> Drop(p); reading = 0; goto again :: else fi;
#ifdef ITEMS_RECHECK
           if :: items != arr -> Drop(p); reading = 0; goto again :: else fi;
#endif
#endif
           assert(was[(p-1)*4 + gen[p-1]]);       /* the list held this very object */
           Drop(p); reading = 0; break
        fi
     fi;
again: skip
  :: else -> break
  od;
  reading = 0
}
init {
  atomic {
    live[0] = 1; gen[0] = 1; hold[0] = 1; shared[0] = 7; slot[0] = 1; was[0*4+1] = 1;
    run writer(); run stranger(); run reader()
  }
}
