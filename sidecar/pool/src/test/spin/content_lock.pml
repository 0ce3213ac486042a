/* content_lock.pml: ContentLock, PageFlusher, OptimisticReader and Reaper on one buffer with the real word: phase, WAITERS, WRITING,
   DIRTY, TORN, version, owner in one word, one compare-and-set for everything. Ledger stores lie in store buffers that only a fence
   or time empties. Two futexes: the state word (WAITERS is set by who sleeps, so only then somebody wakes) and the mode of a ledger
   entry (a writer sleeps on a SHARED one; who takes SHARED back looks at the word after a fence and wakes). Nothing times out here:
   a lost wake-up is an invalid end state. A page is two bytes, lo and hi: half a write shows.

   Scenarios: -DA reader, 2 writers    -DB writer, 2 flushers, sweeper    -DC optimistic reader, writer, sweeper
              -DD reader, writer, sweeper                   -DE reader, writer, flusher     -DF 2 readers, writer
   -DKILL     one of them dies after any step; a reaper that may itself begin again
   Mutants, each must be caught:
   NOFENCE_READ   no fence between SHARED and the look          NOFENCE_RELEASE  none between the release and the look
   NO_SCAN        the writer does not wait for SHARED           SCAN_FIRST       it scans before WRITING is set
   PLAIN_END      it ends by a plain store                      NO_BUMP          it ends in the same version
   END_EARLY      it ends before the last byte                  WRITE_FIRST      it writes before WRITING is set
   NO_WAKE_END    nobody is woken when it ends                  SWEEP_WRITING    a page that is being written is a victim
   NO_FLUSHER     two flushers at once                          CLEAR_BLIND      DIRTY cleared without comparing the version
   COPY_BLIND     the copy is written without comparing it      VERSION_ONLY     an optimistic reader does not look at WRITING
   BYTES_AFTER    ... reads bytes after the second look
   with KILL also NO_TORN  the dead writer's page passes for good     NO_RWAKE  the reaper wakes nobody
                  NO_FLUSHER_CLEAR  the flusher lock stays */
#define NP 4
#define VALID 0
#define EVICTING 1
#define GONE 2
#define PH(w) ((w)&3)
#define WT 4
#define WR 8
#define DIRTY 16
#define TORN 32
#define V1 64
#define VM 448
#define O1 512
#define OM 3584
#define OW(w) (((w)&OM)/O1)
#define VER(w) ((w)&VM)
#define BUMP(w) (((w)&~VM) | (((w)+V1)&VM))
#define PIN 1
#define SHARED 2

int S; byte fl, lo, hi, disk; byte good;     /* good: ghost, the last whole content that was released */
byte ledger[NP], sb[NP]; byte onLedger[NP];  /* onLedger: sleeps on ledger q, q+1 */
bool onWord[NP], killed[NP], done[NP], rdone;

#define STORE(v) sb[p] = (v)+1
#define FENCE d_step { if :: sb[p] != 0 -> ledger[p] = sb[p]-1; sb[p] = 0 :: else fi }
inline wakeW() { d_step { onWord[0] = 0; onWord[1] = 0; onWord[2] = 0; onWord[3] = 0 } }
inline wakeL(q) { d_step { if :: onLedger[0] == (q)+1 -> onLedger[0] = 0 :: else fi; if :: onLedger[1] == (q)+1 -> onLedger[1] = 0 :: else fi;
                           if :: onLedger[2] == (q)+1 -> onLedger[2] = 0 :: else fi; if :: onLedger[3] == (q)+1 -> onLedger[3] = 0 :: else fi } }
/* DescriptorTable.sleepWhile: WAITERS by compare-and-set, then the kernel compares once more */
inline sleepWhile(w) { d_step { if :: S == w -> S = w | WT; w = w | WT :: else -> w = -1 fi };
                       d_step { if :: w != -1 && S == w -> onWord[p] = true :: else fi }; !onWord[p] }

proctype stores() { end: do
   :: d_step { (sb[0] != 0) -> ledger[0] = sb[0]-1; sb[0] = 0 } :: d_step { (sb[1] != 0) -> ledger[1] = sb[1]-1; sb[1] = 0 }
   :: d_step { (sb[2] != 0) -> ledger[2] = sb[2]-1; sb[2] = 0 } :: d_step { (sb[3] != 0) -> ledger[3] = sb[3]-1; sb[3] = 0 } od }

/* PageFinder.pin: EVICTING is taken back; a page that is gone is a miss. */
#define PIN_OR(MISS) STORE(PIN); FENCE; \
   d_step { if :: PH(S) == EVICTING -> S = S & ~(3|OM) :: else fi }; \
   if :: PH(S) == VALID -> skip :: else -> STORE(0); goto MISS fi

proctype reader(byte p) { byte a, c; int w;
  { PIN_OR(out);
again: STORE(SHARED);
#ifndef NOFENCE_READ
    FENCE;
#endif
    w = S;
    if :: w & WR ->
          STORE(PIN); FENCE; wakeL(p);
          sleepWhile(w); goto again
       :: else fi;
    if :: w & TORN -> skip
       :: else -> a = lo; c = hi; assert(a == c) fi;
    STORE(PIN);
#ifndef NOFENCE_RELEASE
    FENCE;
#endif
    w = S; if :: w & WR -> wakeL(p) :: else fi;
    STORE(0);
out: skip
  } unless { killed[p] }; d_step { FENCE; onWord[p] = 0; done[p] = true; a = 0; c = 0; w = 0 } }

proctype writer(byte p) { byte q, n; int w;
  { PIN_OR(out);
#ifdef SCAN_FIRST
    q = 0; do :: q < NP -> if :: ledger[q] != SHARED -> q++
                              :: else -> d_step { if :: ledger[q] == SHARED -> onLedger[p] = q+1 :: else fi }; onLedger[p] == 0 fi
              :: else -> break od; q = 0;
#endif
take: w = S;
    if :: PH(w) == EVICTING -> d_step { if :: S == w -> S = w & ~(3|OM) :: else fi }; goto take :: else fi;
    if :: w & WR -> sleepWhile(w); goto take :: else fi;
    if :: w & TORN -> goto rel :: else fi;
#ifdef WRITE_FIRST
    lo = p+1;
#endif
    d_step { if :: S == w -> S = w | WR | ((p+1)*O1); w = S :: else -> w = -1 fi }; if :: w == -1 -> goto take :: else fi;
    FENCE;
#if !defined(NO_SCAN) && !defined(SCAN_FIRST)
    q = 0; do :: q < NP -> if :: ledger[q] != SHARED -> q++
                              :: else -> d_step { if :: ledger[q] == SHARED -> onLedger[p] = q+1 :: else fi }; onLedger[p] == 0 fi
              :: else -> break od; q = 0;
#endif
    lo = p+1;
#ifndef END_EARLY
    hi = p+1;
#endif
#ifdef PLAIN_END
    d_step { n = w & WT; S = (BUMP(w) & ~(WR|OM|WT)) | DIRTY; good = p+1 };
#else
#ifdef NO_BUMP
    d_step { n = S & WT; S = (S & ~(WR|OM|WT)) | DIRTY; good = p+1 };
#else
    d_step { n = S & WT; S = (BUMP(S) & ~(WR|OM|WT)) | DIRTY; good = p+1 };
#endif
#endif
#ifdef END_EARLY
    hi = p+1;
#endif
#ifndef NO_WAKE_END
    if :: n -> wakeW() :: else fi;
#endif
rel: STORE(0);
out: skip
  } unless { killed[p] }; d_step { FENCE; onWord[p] = 0; onLedger[p] = 0; done[p] = true; q = 0; w = 0; n = 0 } }

proctype flusher(byte p) { int w, x; byte a, c;
  { PIN_OR(out);
#ifndef NO_FLUSHER
    d_step { if :: fl == 0 -> fl = p+1 :: else -> w = -1 fi }; if :: w == -1 -> goto rel :: else fi;
#endif
    w = S;
    if :: (w & (WR|TORN)) || !(w & DIRTY) -> goto clr :: else fi;
    a = lo; c = hi; x = S;
#ifndef COPY_BLIND
    if :: (x & (WR|TORN)) || VER(x) != VER(w) -> goto clr :: else fi;
#endif
    assert(a == c);
    disk = a;
#ifdef CLEAR_BLIND
    d_step { S = S & ~DIRTY };
#else
    d_step { if :: VER(S) == VER(w) && !(S & WR) -> S = S & ~DIRTY :: else fi };
#endif
clr: skip;
#ifndef NO_FLUSHER
    fl = 0;
#endif
rel: STORE(0);
out: skip
  } unless { killed[p] }; d_step { FENCE; done[p] = true; w = 0; x = 0; a = 0; c = 0 } }

proctype optimistic(byte p) { int w, x; byte a, c;
  { w = S; if :: PH(w) != VALID || (w & TORN) -> goto out :: else fi;
#ifndef VERSION_ONLY
    if :: w & WR -> goto out :: else fi;
#endif
    a = lo;
#ifdef BYTES_AFTER
    x = S; c = hi;
#else
    c = hi; x = S;
#endif
#ifdef VERSION_ONLY
    if :: PH(x) == VALID && VER(x) == VER(w) -> assert(a == c) :: else fi;
#else
    if :: PH(x) == VALID && !(x & (WR|TORN)) && VER(x) == VER(w) -> assert(a == c) :: else fi;
#endif
out: skip
  } unless { killed[p] }; done[p] = true }

/* One eviction, then the block is loaded again; what another block had in between is byte 100. */
proctype sweeper(byte p) { int w; byte q, n; bool held;
  { do :: n < 2 -> n++; w = S;
#ifdef SWEEP_WRITING
    if :: PH(w) == VALID && (!(w & DIRTY) || (w & TORN)) ->
#else
    if :: PH(w) == VALID && !(w & WR) && (!(w & DIRTY) || (w & TORN)) ->
#endif
          d_step { if :: S == w -> S = (BUMP(w) & ~(3|OM)) | EVICTING | ((p+1)*O1); held = false :: else -> held = true fi };
          if :: held -> held = false; goto next :: else fi;
          FENCE;
          q = 0; do :: q < NP -> if :: ledger[q] != 0 -> held = true :: else fi; q++ :: else -> break od; q = 0;
          if :: held -> d_step { if :: PH(S) == EVICTING && OW(S) == p+1 -> S = S & ~(3|OM) :: else fi }; held = false; goto next :: else fi;
          d_step { if :: PH(S) == EVICTING && OW(S) == p+1 -> w = S & TORN; S = (S & ~(3|WT|DIRTY|TORN)) | GONE; held = true :: else fi };
          if :: !held -> goto next :: else fi; held = false;
          assert(w || (lo == good && hi == good && disk == good));
          lo = 100; hi = 101;
          lo = disk; hi = disk;
          d_step { good = disk; S = BUMP(S) & ~(3|OM|WT) }
       :: else fi;
next: w = 0
    :: else -> break od
  } unless { killed[p] }; d_step { FENCE; done[p] = true; w = 0; q = 0; n = 0; held = 0 } }

#ifdef KILL
#define RD if :: again == 0 -> goto restart :: true fi
proctype reaper() { byte p, again; bool m;
  if :: p = 0 :: p = 1 :: p = 2 :: p = 3 fi;
  killed[p] = true; done[p];
top: ledger[p] = 0; RD;
#ifndef NO_RWAKE
  wakeL(p); RD;                                 /* sleepers on the dead one's ledger */
#endif
  if :: OW(S) == p+1 && PH(S) == EVICTING -> d_step { if :: OW(S) == p+1 && PH(S) == EVICTING -> S = S & ~(3|OM) :: else fi }; RD
     :: OW(S) == p+1 && PH(S) == GONE -> lo = disk; RD; hi = disk; RD;      /* stands for: unmapped, FREE, loaded by somebody else */
        d_step { good = disk; S = BUMP(S) & ~(3|OM|WT) }; RD
     :: OW(S) == p+1 && (S & WR) ->
#ifdef NO_TORN
        d_step { m = (S & WT) != 0; S = BUMP(S) & ~(WR|OM|WT) }; RD;
#else
        d_step { m = (S & WT) != 0; S = (BUMP(S) & ~(WR|OM|WT)) | TORN }; RD;
#endif
        if :: m -> wakeW() :: else fi; m = false; RD
     :: else fi;
#ifndef NO_FLUSHER_CLEAR
  if :: fl == p+1 -> fl = 0; RD :: else fi;
#endif
#ifndef NO_RWAKE
  wakeW();                                      /* every published waitOn */
#endif
  goto out;
restart: again = 1; m = false; goto top;
out: rdone = true; again = 0 }
#endif

proctype judge() {
#ifdef KILL
  done[0] && done[1] && done[2] && done[3] && rdone;
#else
  done[0] && done[1] && done[2] && done[3];
#endif
  assert((S & (WR|OM|3)) == 0 && fl == 0 && ledger[0] == 0 && ledger[1] == 0 && ledger[2] == 0 && ledger[3] == 0);
  assert((S & TORN) || (lo == hi && lo == good && ((S & DIRTY) || disk == good))) }

init { atomic { run stores();
#ifdef A
  run reader(0); run writer(1); run writer(2); done[3] = true;
#endif
#ifdef B
  S = DIRTY; lo = 7; hi = 7; good = 7;
  run writer(0); run flusher(1); run flusher(2); run sweeper(3);
#endif
#ifdef C
  run optimistic(0); run writer(1); run sweeper(2); done[3] = true;
#endif
#ifdef D
  run reader(0); run writer(1); run sweeper(2); done[3] = true;
#endif
#ifdef E
  S = DIRTY; lo = 7; hi = 7; good = 7;
  run reader(0); run writer(1); run flusher(2); done[3] = true;
#endif
#ifdef F
  run reader(0); run reader(1); run writer(2); done[3] = true;
#endif
#ifdef KILL
  run reaper();
#endif
  run judge() } }
