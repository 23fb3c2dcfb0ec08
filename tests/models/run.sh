#!/usr/bin/env bash
# Runs the Spin models beside it (see README.md). Needs spin 6.5 and gcc (Debian:
# apt-get install spin).
#   ./run.sh            all cases, about three minutes on one core
#   ./run.sh list       the cases whose name begins with 'list'
# One line a case: name, what was expected, what came, states stored. Ends with
# status 1 if any case came out otherwise than expected. BIG=1 adds the long ones.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
only=${1:-}; bad=0
check() {  # check NAME ok|FAIL MODEL DEFINES...
  local name=$1 want=$2 model=$3 opt=-O0 got states why; shift 3
  [[ $name == "$only"* ]] || return 0
  [[ $name == big.* ]] && opt=-O2
  cd "$work"; rm -f ./*; cp "$here/$model" .
  spin -a "$@" "$model" >spin.log 2>&1 || { cat spin.log; bad=1; return; }
  gcc $opt -DSAFETY -DCOLLAPSE -DNOCLAIM -DMEMLIM=12000 -DVECTORSZ=2048 -o pan pan.c 2>/dev/null ||
    { echo "$name: pan.c does not compile"; bad=1; return; }
  local flags=-m400000; [[ $model == list.pml || $model == qsbr.pml || $model == slices.pml ]] && flags+=" -E"
  ./pan $flags >out.log 2>&1
  states=$(grep -oE '[0-9.e+]+ states, stored' out.log | cut -d' ' -f1)
  why=$(grep -oE '^pan:[0-9]+: .*' out.log | head -1 | cut -d' ' -f2- | cut -c1-62)
  got=FAIL
  if grep -q 'errors: 0' out.log; then
    got=ok; grep -qE 'depth too small|memory limit|not completed' out.log && got=PARTIAL
  fi
  [[ $got == "$want" ]] || { bad=1; name="** $name"; }
  printf '%-26s want %-4s got %-7s %9s states  %s\n' "$name" "$want" "$got" "$states" "$why"
}
R=reuse.pml W=weak.pml
## reuse.pml: sequential consistency
check sc.2x4            ok   $R -DNT=2 -DK=4
check sc.2x4.zero       ok   $R -DNT=2 -DK=4 -DZERO
check sc.2x4.detach     ok   $R -DNT=2 -DK=4 -DOPS1=127 -DOPS2=127
check sc.2x4.unique     ok   $R -DNT=2 -DK=4 -DOPS1=191 -DOPS2=191
check sc.2x4.unique_cas ok   $R -DNT=2 -DK=4 -DOPS1=191 -DOPS2=191 -DUNIQ_CAS
check sc.2x4.born       ok   $R -DNT=2 -DK=4 -DBORN_MAYBE
check sc.2x3.retype     ok   $R -DNT=2 -DK=3 -DRETYPE
check sc.2a2s           ok   $R -DNA=2 -DNS=2 -DNT=2 -DK=3 -DZERO
check sc.3x2            ok   $R -DNT=3 -DK=2
## that the interesting cases are reached at all (the assertion must fail)
check seen.init         FAIL $R -DNT=2 -DK=4 -DBORN_MAYBE -DWITNESS=1
check seen.newer        FAIL $R -DNT=2 -DK=4 -DWITNESS=2
check seen.same_slot    FAIL $R -DNT=2 -DK=4 -DWITNESS=4
check seen.last_holder  FAIL $R -DNT=2 -DK=4 -DWITNESS=8
## mutants
check mut.a.no_goal     FAIL $R -DNT=2 -DK=4 -DRETYPE -DM_NO_GOAL
check mut.a.old_goal    FAIL $R -DNT=2 -DK=4 -DRETYPE -DM_OLD_GOAL
check mut.b.no_maybe    FAIL $R -DNT=2 -DK=4 -DM_NO_MAYBE
check mut.c.no_recheck  FAIL $R -DNT=2 -DK=4 -DM_NO_RECHECK
check mut.d.dealloc_any FAIL $R -DNT=2 -DK=4 -DM_DEALLOC_ANY
check mut.merge_late    FAIL $R -DNT=2 -DK=4 -DM_MERGE_LATE
check mut.merge_nolock  FAIL $R -DNT=2 -DK=4 -DOPS1=127 -DOPS2=127 -DM_MERGE_UNLOCKED
check mut.attach_nolock FAIL $R -DNT=2 -DK=4 -DOPS1=127 -DOPS2=127 -DM_ATTACH_UNLOCKED
check mut.purge_unowned FAIL $R -DNT=2 -DK=4 -DZERO -DM_PURGE_UNOWNED
check mut.unique_count  FAIL $R -DNT=2 -DK=4 -DOPS1=191 -DOPS2=191 -DM_UNIQ_COUNT
## list.pml: slots of an array that was replaced
check list.slot_only    FAIL list.pml
check list.zeroed       FAIL list.pml -DZERO_RAW
check list.items        ok   list.pml -DITEMS_RECHECK
check list.items_first  ok   list.pml -DITEMS_FIRST
check list.items_zeroed ok   list.pml -DITEMS_RECHECK -DZERO_RAW
check list.clear_old    ok   list.pml -DCLEAR_OLD
## slices.pml: a collection in slices beside a mutator
check slices.2          ok   slices.pml -DK=2
check slices.propagate  FAIL slices.pml -DK=2 -DM_NO_PROPAGATE
check slices.cut_trial  FAIL slices.pml -DK=3 -DM_CUT_TRIAL
check slices.leftovers  FAIL slices.pml -DK=2 -DM_NO_LEFTOVERS
check slices.hints      FAIL slices.pml -DK=2 -DM_TRUST_HINTS
check slices.saved      FAIL slices.pml -DK=2 -DWITNESS
## weak.pml: relaxed / acquire / release
S=-DSAME_SLOT H=-DHANDOVER; FW="-DHANDOVER -DF_WRITES"; FP="$FW -DNO_MAYBE_STEP"
check weak.other_slot   ok   $W
check weak.same_slot    ok   $W $S
check weak.queue        ok   $W $S -DSCEN_F
check weak.queue2       ok   $W $S -DTHEN_F_CLEARS
check weak.handover     ok   $W $H
check weak.writes       ok   $W $FW
check weak.plain        ok   $W $FP
check weak.any_order    ok   $W $S -DANY_ORDER
check weak.any_handover ok   $W $H -DANY_ORDER
check weak.born         ok   $W $S -DBORN_MAYBE -DNO_MAYBE_STEP
check seen.weak_same    FAIL $W $S -DWITNESS
check seen.weak_newer   FAIL $W $S -DWITNESS2
check wmut.slot_load    FAIL $W $S -DO_SLOT_LOAD=0
check wmut.slot_store   FAIL $W $S -DO_SLOT_STORE=0
check wmut.recheck      FAIL $W $S -DANY_ORDER -DO_RECHECK=0
check wmut.recheck_last ok   $W $S -DO_RECHECK=0
check wmut.try          FAIL $W $S -DO_TRY=0
check wmut.init         FAIL $W $S -DO_INIT=0
check wmut.init_maybe   ok   $W $S -DO_INIT=0 -DO_MAYBE=2
check wmut.init_maybe_h FAIL $W $H -DO_INIT=0 -DO_MAYBE=2
check wmut.init_all_rel ok   $W $H -DO_INIT=0 -DO_MAYBE=2 -DO_INCREF=2
check wmut.dec_acquire  FAIL $W $FP -DO_DEC=1
check wmut.dec_release  FAIL $W $FP -DO_DEC=2
check wmut.zero_load    FAIL $W $FP -DO_ZERO_LOAD=0
check wmut.merge_acq    FAIL $W $S -DO_MERGE=1
check wmut.merge_rel    FAIL $W $FW -DO_MERGE=2
check wmut.tid_after    FAIL $W $S -DM_TID_AFTER
## qsbr.pml: store buffers
Q=qsbr.pml
check qsbr.advance      ok   $Q
check qsbr.goal         ok   $Q -DGOAL
check qsbr.goal_wait    ok   $Q -DGOAL -DNO_ENSURE
check qsbr.stale_mark   ok   $Q -DSTALE_MARK
check qmut.attach_fence FAIL $Q -DM_ATTACH
check qmut.goal_fence   FAIL $Q -DGOAL -DM_GOAL -DNO_ENSURE
check qmut.unmarked     FAIL $Q -DM_UNMARKED
check qmut.late_scan    FAIL $Q -DM_LATE
check qmut.goal_now     FAIL $Q -DGOAL -DM_NOW
if [[ ${BIG:-} ]]; then
check big.3x3           ok   $R -DNT=3 -DK=3
check big.1a2s.3x2      ok   $R -DNS=2 -DNT=3 -DK=2 -DOPS1=127 -DOPS2=127 -DOPS3=127
check big.roles         ok   $R -DNS=2 -DNT=3 -DK=5 -DOPS1=55 -DOPS2=56 -DOPS3=55
check big.zero          ok   $R -DNT=3 -DK=3 -DZERO -DOPS2=56
check big.detach        ok   $R -DNT=3 -DK=3 -DOPS1=127 -DOPS2=127 -DOPS3=56
check big.handover      ok   $R -DNT=3 -DK=3 -DOPS1=831 -DOPS2=831 -DOPS3=56
check big.unique        ok   $R -DNT=3 -DK=3 -DOPS1=191 -DOPS2=191 -DOPS3=56
check big.born          ok   $R -DNT=3 -DK=3 -DBORN_MAYBE -DOPS1=55
check big.retype        ok   $R -DNT=3 -DK=3 -DRETYPE -DOPS3=56
check big.unique_cas    ok   $R -DNT=3 -DK=3 -DUNIQ_CAS -DOPS1=191 -DOPS2=63 -DOPS3=56
fi
exit $bad
