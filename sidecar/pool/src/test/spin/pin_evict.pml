/* pin_evict.pml: PageFinder, ClockSweep, PoolSession.admit, LookupTable and Reaper on the real word: phase, WAITERS, owner,
   version in one word, one compare-and-set for everything. Two sessions that pin, miss, evict in batches of two, rescue, steal
   and load (with failure); two buffers, three blocks, one bucket whose entries all have the same fingerprint, real bucket lock,
   futex with compare-and-sleep and a separate wake step, ledger stores in store buffers that only a fence or time empties.
   Nothing here times out: a lost wake-up is an invalid end state.

   -DNK=2       two blocks only                     -DROUNDS=n   fetches of a session, default 1
   -DNOFAIL     loads do not fail                   -DKILL       one session dies after any step; a reaper that may itself begin again
   Mutants, each must be caught:
   NOFENCE_PIN      no fence between the publication and the look        NOFENCE_SWEEP  ledgers scanned before the compare-and-sets
   NO_TAG_CHECK     the tag is not compared after the fence              TAG_FIRST      the tag is read before the state word
   PLAIN_COMMIT     EVICTING -> UNMAPPING by a plain store               PLAIN_LOAD     CLAIMED -> LOADING by a plain store
   TAG_EARLY        the tag is written before LOADING is won             NO_WAKE_UNMAP  no wake-up when UNMAPPING ends
   NO_WAKE_LOAD     no wake-up when a load fails                         CHECK_OUT      absent test before the bucket lock
   LATE_PIN         the loader publishes its pin after VALID
   with KILL also   NO_BL  the reaper frees no bucket locks              FREE_FIRST     the reaper frees a buffer before it unmaps it
                    NO_RWAKE  the reaper wakes nobody */
#define NP 2
#define NB 2
#ifndef NK
#define NK 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define FREE 0
#define CLAIMED 1
#define LOADING 2
#define VALID 3
#define EVICTING 4
#define UNMAPPING 5
#define WT 8
#define PH(w) ((w)&7)
#define OW(w) (((w)>>4)&3)
#define VM 192
#define W(ph,o,w) ((ph) + 16*(o) + ((w)&VM))
#define BUMP(w) (((w)&~VM) | (((w)+64)&VM))
#define IS(w,ph,o) (PH(w) == (ph) && OW(w) == (o))
#define REAPER 3

byte S[NB]; byte tag[NB]; byte content[NB];
byte ent[NB]; byte bl;                       /* entries: buffer + 1; bl: holder of the bucket lock */
byte ledger[NP]; byte sb[NP];                /* sb: 0 nothing pending, else value + 1 */
byte asleep[NP]; byte waitOn[NP];
bool killed[NP]; bool done[NP]; bool rdone;

#define STORE(v) sb[p] = (v)+1
#define FENCE d_step { if :: sb[p] != 0 -> ledger[p] = sb[p]-1; sb[p] = 0 :: else fi }
inline wake(g) { d_step { if :: asleep[0] == (g)+1 -> asleep[0] = 0 :: else fi; if :: asleep[1] == (g)+1 -> asleep[1] = 0 :: else fi } }
inline lock(me) { atomic { bl == 0 -> bl = me } }
inline drop(g) { d_step { if :: ent[0] == (g) -> ent[0] = 0 :: else fi; if :: ent[1] == (g) -> ent[1] = 0 :: else fi } }
/* moveOn: in ok whether the word was still ours; w is the old word, whose WAITERS decide over the wake-up */
inline moveOn(g, ph, o, toPh, toO) { d_step { w = S[g]; ok = IS(w, ph, o); if :: ok -> S[g] = W(toPh, toO, w) :: else fi } }

proctype flusher() { end: do
  :: d_step { sb[0] != 0 -> ledger[0] = sb[0]-1; sb[0] = 0 }
  :: d_step { sb[1] != 0 -> ledger[1] = sb[1]-1; sb[1] = 0 } od }

proctype monitor() { end: do
  :: d_step { PH(S[0]) == VALID && ent[0] != 1 && ent[1] != 1 -> assert(false) }                /* a page nobody can find */
  :: d_step { PH(S[1]) == VALID && ent[0] != 2 && ent[1] != 2 -> assert(false) }
  :: d_step { PH(S[0]) == VALID && PH(S[1]) == VALID && tag[0] == tag[1] -> assert(false) }     /* a block twice */
  od }

proctype session(byte p) {
  byte b, f, w, t, x, mine, cand, held, r; bool ok;
  { do
    :: r >= ROUNDS -> break
    :: else ->
       if :: b = 1 :: b = 2
#if NK > 2
          :: b = 3
#endif
       fi;
fetch: x = 0;
look:  f = ent[x];
       if
       :: f == 0 || tag[f-1] != b -> f = 0; x++; if :: x < NB -> goto look :: else -> x = 0; goto miss fi
       :: else
       fi; x = 0;
       STORE(f);
#ifndef NOFENCE_PIN
       FENCE;
#endif
#ifdef TAG_FIRST
       x = tag[f-1];
#endif
       w = S[f-1];
confirm:
       if
       :: PH(w) == VALID ->
accept:
#ifdef NO_TAG_CHECK
          x = b;
#else
#ifndef TAG_FIRST
          x = tag[f-1];
#endif
#endif
          if :: x == b -> x = 0; w = 0; goto pinned
             :: else -> STORE(0); f = 0; w = 0; x = 0; goto miss fi
       :: PH(w) == EVICTING ->
          d_step { ok = (S[f-1] == w); if :: ok -> S[f-1] = W(VALID,0,w) :: else fi };
          if :: ok -> ok = false; goto accept :: else fi;
          t = S[f-1];
          if :: PH(t) == EVICTING && (t & VM) != (w & VM) -> t = 0; goto accept
             :: else -> w = t; t = 0; goto confirm fi
       :: PH(w) == LOADING || PH(w) == UNMAPPING ->
          x = tag[f-1]; STORE(0);
          if :: x != b -> x = 0; f = 0; w = 0; goto miss :: else -> x = 0 fi;
          FENCE; waitOn[p] = f;
          d_step { ok = (S[f-1] == w); if :: ok -> w = w | WT; S[f-1] = w :: else fi };
          if :: ok -> ok = false; d_step { if :: S[f-1] == w -> asleep[p] = f :: else fi }; asleep[p] == 0 :: else fi;
          waitOn[p] = 0; f = 0; w = 0; goto fetch
       :: else -> STORE(0); f = 0; w = 0; goto miss
       fi;

miss:  if
       :: mine & 1 -> mine = mine & 2; f = 1; goto load
       :: !(mine & 1) && (mine & 2) -> mine = 0; f = 2; goto load
       :: else
       fi;
#ifdef NOFENCE_SWEEP
       goto scan;
collect:
#endif
       t = 0;
       do :: t < NB -> w = S[t];
             if :: PH(w) == FREE -> d_step { if :: S[t] == w -> S[t] = W(CLAIMED,p+1,w); mine = mine | (1<<t) :: else fi }
                :: PH(w) == VALID -> d_step { if :: S[t] == w -> S[t] = BUMP(W(EVICTING,p+1,w)); cand = cand | (1<<t) :: else fi }
                :: else fi; w = 0; t++
          :: else -> break od; t = 0;
       if :: cand == 0 -> goto swept :: else fi;
#ifdef NOFENCE_SWEEP
       goto judge;
#endif
scan:  skip; FENCE;
       t = ledger[0]; if :: t != 0 -> held = held | (1<<(t-1)) :: else fi;
       t = ledger[1]; if :: t != 0 -> held = held | (1<<(t-1)) :: else fi; t = 0;
#ifdef NOFENCE_SWEEP
       goto collect;
judge: skip;
#endif
       do :: t < NB ->
             if :: (cand & (1<<t)) && !(held & (1<<t)) ->
#ifdef PLAIN_COMMIT
                   S[t] = W(UNMAPPING,p+1,S[t]); ok = true;
#else
                   moveOn(t, EVICTING, p+1, UNMAPPING, p+1);
#endif
                   if :: ok -> ok = false; w = 0; x = tag[t]; lock(p+1);
                         if :: tag[t] == x -> drop(t+1) :: else fi; x = 0; bl = 0;
                         moveOn(t, UNMAPPING, p+1, CLAIMED, p+1); assert(ok); ok = false;
#ifndef NO_WAKE_UNMAP
                         if :: w & WT -> wake(t) :: else fi;
#endif
                         w = 0; mine = mine | (1<<t)
                      :: else -> w = 0 fi
                :: else fi; t++
          :: else -> break od; t = 0; held = 0;
       do :: t < NB -> if :: cand & (1<<t) -> d_step { if :: IS(S[t],EVICTING,p+1) -> S[t] = W(VALID,0,S[t]) :: else fi } :: else fi; t++
          :: else -> break od; t = 0; cand = 0;
swept: if :: mine != 0 -> goto miss :: else fi;
       if
       :: d_step { PH(S[0]) == CLAIMED && OW(S[0]) != p+1 -> S[0] = W(CLAIMED,p+1,S[0]); mine = 1 }; goto miss
       :: d_step { PH(S[1]) == CLAIMED && OW(S[1]) != p+1 -> S[1] = W(CLAIMED,p+1,S[1]); mine = 2 }; goto miss
       :: goto fetch
       fi;

load:  skip;
#ifdef TAG_EARLY
       tag[f-1] = b;
#endif
#ifdef PLAIN_LOAD
       S[f-1] = BUMP(W(LOADING,p+1,S[f-1]));
#else
       d_step { ok = IS(S[f-1],CLAIMED,p+1); if :: ok -> S[f-1] = BUMP(W(LOADING,p+1,S[f-1])) :: else fi };
       if :: ok -> ok = false :: else -> f = 0; goto fetch fi;
#endif
       tag[f-1] = b;
#ifdef CHECK_OUT
       x = 0; if :: ent[0] != 0 && tag[ent[0]-1] == b -> x = 1 :: else fi; if :: ent[1] != 0 && tag[ent[1]-1] == b -> x = 1 :: else fi;
       lock(p+1);
#else
       lock(p+1);
       x = 0; if :: ent[0] != 0 && tag[ent[0]-1] == b -> x = 1 :: else fi; if :: ent[1] != 0 && tag[ent[1]-1] == b -> x = 1 :: else fi;
#endif
       if :: x -> x = 0; bl = 0; moveOn(f-1, LOADING, p+1, CLAIMED, p+1); assert(ok); ok = false;
             if :: w & WT -> wake(f-1) :: else fi; w = 0; mine = mine | f; f = 0; goto fetch   /* f is 1 or 2: its own bit */
          :: else fi;
       d_step { if :: ent[0] == 0 -> ent[0] = f :: else -> assert(ent[1] == 0); ent[1] = f fi }; bl = 0;
       content[f-1] = 0; content[f-1] = b;
       if
       ::
#ifndef LATE_PIN
          STORE(f); FENCE;
#endif
          moveOn(f-1, LOADING, p+1, VALID, 0); assert(ok); ok = false;
          if :: w & WT -> wake(f-1) :: else fi; w = 0
#ifdef LATE_PIN
          ; STORE(f); FENCE
#endif
#ifndef NOFAIL
       :: lock(p+1); drop(f); bl = 0; moveOn(f-1, LOADING, p+1, FREE, 0); assert(ok); ok = false;
#ifndef NO_WAKE_LOAD
          if :: w & WT -> wake(f-1) :: else fi;
#endif
          w = 0; goto next
#endif
       fi;
pinned: assert(tag[f-1] == b && content[f-1] == b && (PH(S[f-1]) == VALID || PH(S[f-1]) == EVICTING));
       skip;
       assert(tag[f-1] == b && content[f-1] == b && (PH(S[f-1]) == VALID || PH(S[f-1]) == EVICTING));
       STORE(0);
next:  f = 0; b = 0; r++
    od;
    t = 0; do :: t < NB -> if :: mine & (1<<t) -> d_step { if :: IS(S[t],CLAIMED,p+1) -> S[t] = W(FREE,0,S[t]) :: else fi } :: else fi; t++ :: else -> break od
  } unless { killed[p] };
  d_step { FENCE; asleep[p] = 0; done[p] = true; f = 0; w = 0; t = 0; x = 0; b = 0; mine = 0; cand = 0; held = 0; ok = false; r = 0 }
}

#ifdef KILL
#define RD if :: again == 0 -> goto restart :: true fi
proctype reaper() {
  byte p, t, x, w, again; bool ok;
  if :: p = 0 :: p = 1 fi;
  killed[p] = true; done[p];
top: ledger[p] = 0; RD;
#ifndef NO_BL
  d_step { if :: bl == p+1 -> bl = 0 :: else fi }; RD;
  d_step { if :: bl == REAPER -> bl = 0 :: else fi }; RD;
#endif
  t = 0;
  do
  :: t < NB ->
     if
     :: IS(S[t],EVICTING,p+1) -> d_step { if :: IS(S[t],EVICTING,p+1) -> S[t] = W(VALID,0,S[t]) :: else fi }; RD
     :: IS(S[t],LOADING,p+1) || IS(S[t],UNMAPPING,p+1) ->
#ifdef FREE_FIRST
        d_step { w = S[t]; S[t] = W(FREE,0,w) }; RD;
#endif
        lock(REAPER); RD; drop(t+1); RD; bl = 0; RD;
#ifndef FREE_FIRST
        d_step { w = S[t]; S[t] = W(FREE,0,w) }; RD;
#endif
        if :: w & WT -> wake(t) :: else fi; w = 0
     :: IS(S[t],CLAIMED,p+1) -> moveOn(t, CLAIMED, p+1, FREE, 0); ok = false; w = 0; RD
     :: else
     fi; t++
  :: else -> break
  od; t = 0; RD;
#ifndef NO_RWAKE
  x = waitOn[1-p]; RD; if :: x != 0 -> wake(x-1) :: else fi; x = 0;
#endif
  assert(ledger[p] == 0 && OW(S[0]) != p+1 && OW(S[1]) != p+1);
  goto out;
restart: x = 0; w = 0; ok = false; t = 0; again = 1; goto top;
out: again = 0; rdone = true
}
#endif

/* Afterwards everything is FREE or VALID, nothing is locked, and no entry leads astray. */
proctype judge() { byte i;
#ifdef KILL
  done[0] && done[1] && rdone;
#else
  done[0] && done[1];
#endif
  assert(bl == 0 && (PH(S[0]) == FREE || PH(S[0]) == VALID) && (PH(S[1]) == FREE || PH(S[1]) == VALID));
  do :: i < NB -> assert(ent[i] == 0 || PH(S[ent[i]-1]) == VALID); i++ :: else -> break od;
  assert(ent[0] == 0 || ent[0] != ent[1])
}

init { atomic {
  S[0] = VALID; tag[0] = 1; content[0] = 1; ent[0] = 1;
  run session(0); run session(1); run flusher(); run monitor(); run judge();
#ifdef KILL
  run reaper()
#endif
} }
