/* retire.pml: no reader touches memory that was taken away. One buffer; a pinner, a reader that copies without a pin, and the
   sidecar, which retires the buffer, takes its memory away, gives it new memory and puts it back; then it is loaded again.
   Ledger and epoch are stored in a store buffer (pend) and seen by others (seen) at the fence, or at any moment before.
   gone stands for the punched hole: whoever is between the two looks at it must not see it.
   Mutants: NOFENCE_PIN NOFENCE_READ  no full fence after the publication
            SCAN_FIRST   ledgers are read before the word is EVICTING
            NO_WAIT      the memory goes while a copy may be in the middle
            EPOCH_FIRST  the epoch is counted up before the buffer is RETIRED
            PLAIN_COMMIT EVICTING to UNMAPPING without compare-and-set */
#define VALID 0
#define EVICTING 1
#define UNMAPPING 2
#define RETIRED 3
#define FREE 4
#ifndef ROUNDS
#define ROUNDS 2
#endif
byte S = VALID; bool mapped = true; bool gone; byte epoch = 1;
bool ledPend, ledSeen; byte epPend, epSeen;

/* A store buffer drains at any moment. */
active proctype drain() {
end: do
  :: atomic { ledPend && !ledSeen -> ledSeen = true }
  :: atomic { epPend != 0 && epSeen == 0 -> epSeen = epPend }
  od }

active proctype pinner() { byte w; byte n; bool ok;
  do
  :: n < ROUNDS -> n++;
     if
     :: mapped ->
        ledPend = true;
#ifndef NOFENCE_PIN
        ledSeen = true;
#endif
        w = S;
        ok = (w == VALID);
        if
        :: w == EVICTING -> d_step { ok = (S == EVICTING); if :: ok -> S = VALID :: else fi }
        :: else
        fi;
        if
        :: ok -> assert(!gone); assert(!gone)
        :: else
        fi;
        atomic { ledPend = false; ledSeen = false }
     :: else
     fi
  :: else -> break
  od }

active proctype reader() { byte w; byte n;
  do
  :: n < ROUNDS -> n++;
     w = epoch;
     epPend = w + 1;
#ifndef NOFENCE_READ
     epSeen = epPend;
#endif
     if
     :: mapped ->
        w = S;
        if
        :: w == VALID -> assert(!gone); assert(!gone)
        :: else
        fi
     :: else
     fi;
     atomic { epPend = 0; epSeen = 0 }
  :: else -> break
  od }

active proctype sidecar() { byte n; bool held; bool ok;
  do
  :: n < ROUNDS -> n++;
#ifdef EPOCH_FIRST
     epoch++;
#endif
retire:
#ifdef SCAN_FIRST
     held = ledSeen;
     S = EVICTING;
#else
     S = EVICTING;
     held = ledSeen;
#endif
     if
     :: held -> d_step { if :: S == EVICTING -> S = VALID :: else fi }; goto retire
     :: else
     fi;
#ifdef PLAIN_COMMIT
     S = UNMAPPING;
#else
     d_step { ok = (S == EVICTING); if :: ok -> S = UNMAPPING :: else fi };
     if :: !ok -> goto retire :: else fi;
#endif
     mapped = false;
     S = RETIRED;
#ifndef EPOCH_FIRST
     epoch++;
#endif
#ifndef NO_WAIT
     (epSeen == 0 || epSeen > epoch);
#endif
     gone = true;
     gone = false;
     S = FREE;
     mapped = true;
     S = VALID
  :: else -> break
  od }
