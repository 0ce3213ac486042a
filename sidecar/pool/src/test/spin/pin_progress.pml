/* pin_progress.pml: nobody steps back for ever. One pinner that wants a page, two sweepers that sweep its buffer again and again;
   the pinner keeps its ledger entry, takes EVICTING back by compare-and-set, and counts as pinned when the word is EVICTING in
   another version than the one he saw: that eviction began after his publication, so its scan finds him.
   chg stands for the version, which never repeats. Weak fairness; ltl p: the pinner ends, with the page or with a miss.
   Mutants, each has a fair cycle: STEP_BACK  the entry is cleared and published again, nothing is taken back
                                   NO_VERSION the entry is kept and EVICTING taken back, but versions are not compared */
#define VALID 0
#define GONE 3
byte S; bool ledger; bool got; bool chg;
proctype pinner() { byte w; bool ok;
  do
  :: ledger = true;
again: skip; d_step { chg = false; w = S };
     if
     :: w == VALID -> got = true; break
     :: w == GONE -> ledger = false; got = true; break
     :: else ->
#ifdef STEP_BACK
        ledger = false
#else
        d_step { ok = (S == w && !chg); if :: ok -> S = VALID :: else fi };
        if :: ok -> got = true; break :: else fi;
#ifdef NO_VERSION
        goto again
#else
        if :: S == GONE -> ledger = false; got = true; break
           :: else -> assert(ledger); got = true; break
        fi
#endif
#endif
     fi
  od }
proctype sweeper(byte me) { bool held;
end: do
  :: atomic { S == VALID && !got -> chg = true; S = me };
     held = ledger;
     d_step { if :: S == me -> if :: held -> S = VALID :: else -> assert(!(got && ledger)); S = GONE fi :: else fi };
     held = false
  :: got || S == GONE -> break
  od }
init { atomic { run pinner(); run sweeper(1); run sweeper(2) } }
ltl p { <> got }
