/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * region.h - the memory that a VM and its readers share
 *
 * One file (or one piece of the kernel module's memory) a VM:
 *
 *	0        struct btap_region_hdr     written by the VM before it is published, then only by words named so below
 *	ctl      struct btap_ctl            written by the VM's controller (agent or module); hooks read it
 *	leases   struct btap_lease[]        one page each; written by the reader who holds it
 *	answers  struct btap_answer[]       what the VM's side says of each lease; written by the VM's controller
 *	clocks   struct btap_clocks         pairs of ring clock and the system's clocks; written by the VM's controller
 *	strtab   struct btap_strtab         append-only string table; written by the VM
 *	rings    struct btap_ring[]         one a thread that writes; written by that thread (and by one reader: `tail`)
 *	data     the rings' sub-buffers     written by that thread
 *
 * Where each begins is said by the header; offsets and sizes are whole pages of
 * 4096 bytes.  Numbers are in the machine's byte order; only 64-bit
 * little-endian machines are known.  "Times" in a region are ticks of the ring
 * clock, unless a name ends in _ns.
 *
 * Words that two sides use at once, who writes them, and what pairs
 *
 *   hdr.magic        VM, once, last, release      with the reader's acquire when it opens the region: all else is set up
 *   hdr.state        VM, release                  reader, acquire: after BTAP_STATE_CLOSED nothing is written any more
 *   ctl.on[]         controller, relaxed          hooks, relaxed: a hook may see a change late, never torn
 *   lease.*          reader; .gen last, release   controller, acquire of .gen, then the rest; .heartbeat_ns relaxed
 *   answer.*         controller; .gen last, rel.  reader, acquire of .gen
 *   clocks.count     controller, release          reader, acquire: the pairs before it are whole.  Old pairs are
 *                                                 overwritten: a reader looks at count again after it copied (as below)
 *   strtab.used      VM, release                  reader, acquire: the entries before it are whole and never change
 *   ring.pos         writer, release              reader, acquire: all words before it are whole
 *   ring.count       writer, after pos, release   reader, acquire, before pos: each record that it counts lies
 *                                                 before pos or was dropped
 *   ring.turn        writer, relaxed, then a      reader: after it copied, acquire fence, then ring.turn relaxed; if
 *                    release fence, then the      turn - n >= nr_subs for the sub-buffer number n that it copied from,
 *                    sub-buffer's header/words    the copy is torn and counts as lost
 *   ring.tail        the one reader in charge     writer, acquire, only when the ring stops when full
 *
 * A ring's sub-buffers are numbered 0, 1, 2, ... for ever; number n lies at
 * (n % nr_subs) * sub_size.  `pos` counts bytes: n * sub_size + offset, where the
 * offset is 64 (behind the head) to sub_size (a full sub-buffer), so that n is
 * (pos - 1) / sub_size.  Records never cross a sub-buffer.  A `stack` record stands
 * before the record it belongs to, in the same sub-buffer and with the same time; both
 * are published at once, and count as one.
 *
 * Who is alive: the VM holds an open-file-description write lock on the byte
 * BTAP_LOCK_VM of the file as long as it lives; a reader's lease i is held by
 * such a lock on byte BTAP_LOCK_LEASE + i.  Both end with their holder, however
 * he ends, and can be asked for (F_OFD_GETLK) across containers.  A lease also
 * ends by itself when its heartbeat is older than its time to live, so that a
 * stopped (SIGSTOP) reader holds nothing up, and for memory that has no locks.
 */
#ifndef BEAMTAP_REGION_H
#define BEAMTAP_REGION_H

#include "records.h"

#define BTAP_MAGIC	   0x0a5041544d414542ULL /* "BEAMTAP\n" */
#define BTAP_ABI	   2
#define BTAP_PAGE	   4096
#define BTAP_MAX_LEASES	   16
#define BTAP_MAX_RINGS	   1024
#define BTAP_SUB_MIN	   256 /* bytes in a sub-buffer, header included; a power of two */
#define BTAP_SUB_MAX	   (1u << 24)
#define BTAP_LOCK_VM	   0x100000000ULL /* byte offsets of the locks, beyond any file's end */
#define BTAP_LOCK_LEASE	   0x100000100ULL
#define BTAP_LOCK_STOP	   0x100000200ULL /* held by the one reader that is in charge of ring.tail */

enum btap_clock {
	BTAP_CLOCK_MONOTONIC = 0, /* nanoseconds of CLOCK_MONOTONIC */
	BTAP_CLOCK_TSC = 1,	  /* the processor's time-stamp counter */
};

enum btap_state {
	BTAP_STATE_OPEN = 1,
	BTAP_STATE_CLOSED = 2, /* the VM's side went away in order */
};

enum btap_thread_kind {
	BTAP_THREAD_OTHER = 0,
	BTAP_THREAD_SCHEDULER = 1,
	BTAP_THREAD_DIRTY_CPU = 2,
	BTAP_THREAD_DIRTY_IO = 3,
	BTAP_THREAD_ASYNC = 4,
	BTAP_THREAD_POLL = 5,
};

enum btap_way { /* what writes into the region */
	BTAP_WAY_AGENT = 1, /* the tracer NIF in a stock VM */
	BTAP_WAY_HOOKS = 2, /* hooks compiled into the VM */
};

/* Facts about the VM; set before the region is published, but for `node`. */
struct btap_facts {
	__u32 otp_release;    /* 25 */
	__u32 way;	      /* enum btap_way */
	__u32 jit;	      /* 1: machine code, 0: interpreter */
	__u32 os_pid;	      /* as the VM sees it, in its pid namespace */
	__u64 pidns_inode;    /* of /proc/self/ns/pid */
	__u64 start_ticks;    /* start time of the OS process: field 22 of /proc/self/stat */
	__u64 real_ns;	      /* CLOCK_REALTIME when the region was made */
	__u64 mono_ns;	      /* CLOCK_MONOTONIC at that moment */
	__u8 boot_id[16];     /* /proc/sys/kernel/random/boot_id: CLOCK_MONOTONIC is of this boot */
	__u32 clock;	      /* enum btap_clock */
	__u32 nr_schedulers;  /* normal ones */
	__u64 clock_hz;	      /* about; the clock pairs are exact */
	__u32 nr_dirty_cpu;
	__u32 nr_dirty_io;
	/*
	 * A local pid's or port's number: bits from `shift` up, `number_bits` of
	 * number and then `serial_bits` of serial.  OTP 25: pid 4, 15, 13; port 4, 28, 0.
	 */
	__u8 pid_shift, pid_number_bits, pid_serial_bits;
	__u8 port_shift, port_number_bits;
	__u8 pad[3];
	__u64 able[BTAP_MASK_WORDS]; /* events that can fire in this VM */
	char erts_version[32];	     /* "13.1.5" */
	char emulator[32];	     /* name of the executable: "beam.smp" */
	char node[256];		     /* "nonode@nohost" until it is told otherwise; the VM may change it, bytes only */
	char writer[32];	     /* version of what writes, "beamtap 0.1.0" */
};

struct btap_region_hdr {
	__u64 magic; /* BTAP_MAGIC; 0 until the region is ready */
	__u32 abi;   /* BTAP_ABI */
	__u32 hdr_size;
	__u64 total_size;
	__u32 state; /* enum btap_state */
	__u32 nr_leases;
	__u64 ctl_off;
	__u64 lease_off;
	__u64 answer_off;
	__u64 clock_off;
	__u64 strtab_off;
	__u64 strtab_size; /* with its head */
	__u64 ring_off;	   /* the directory */
	__u32 nr_rings;	   /* entries in the directory; those with kind, tid and name unset are still free */
	__u32 ring_entry_size;
	__u64 data_off;
	__u64 unwritten; /* VM, relaxed: records of threads for which no ring was left */
	struct btap_facts facts;
};

/*
 * What hooks read.  A byte an event: one load and one branch tell a hook that
 * nobody wants it.  The page has one writer, the VM's controller, or the kernel
 * module where that holds the region; and nothing in it but `off_since_ns`
 * changes unless events are switched, so that reading it is cheap on all cores.
 */
#define BTAP_ON_RING	   0x01 /* the event goes into the ring */
#define BTAP_ON_TRACEPOINT 0x02 /* it is handed to the kernel module, which fires its tracepoint */
#define BTAP_ON_USDT	   0x04 /* it fires its USDT probe */
#define BTAP_ON_STACK	   0x08 /* its record in the ring is preceded by one of the Erlang stack */
struct btap_ctl {
	__u8 on[BTAP_MAX_EVENTS];	   /* BTAP_ON_*: who wants event n; a hook tests the byte */
	__u32 stop_when_full;		   /* 0: overwrite the oldest sub-buffer; 1: drop and count */
	__u32 nr_functions;		   /* functions for which calls are traced at present */
	__u64 off_since_ns;		   /* CLOCK_MONOTONIC when the last lease ended; 0 while one lives */
};

/* A reader's wishes.  Flags: */
#define BTAP_LEASE_STATE 1u /* tell me the processes and ports that are there (state_*) */
#define BTAP_LEASE_STOP	 2u /* stop when full; the holder of BTAP_LOCK_STOP alone */
#define BTAP_LEASE_SPEC_MAX (BTAP_PAGE - 160)
struct btap_lease {
	__u64 gen;	    /* 0: free.  Odd: being written.  Even: complete; grows by 2 with each change */
	__u64 heartbeat_ns; /* CLOCK_MONOTONIC; renewed at least twice in ttl_ns */
	__u64 ttl_ns;	    /* 1 s to 60 s; BTAP_TTL_NS unless there is a reason */
	__u64 want[BTAP_MASK_WORDS];
	__u32 flags;
	__u32 pid;	    /* the reader's OS pid, in its own namespace; for people */
	__u32 spec_len;	    /* bytes of spec */
	__u32 pad;
	char who[32];	    /* command's name; for people */
	__u64 stack[BTAP_MASK_WORDS]; /* of want: with the Erlang stack, where facts.able has `stack` */
	/*
	 * Functions to trace, one a line: `module:function/arity`, where function
	 * may be `_` or a glob and arity `_`; a line may end with ` return` to
	 * have returns and exceptions too.
	 */
	char spec[];
};
#define BTAP_TTL_NS 5000000000ULL

struct btap_answer {
	__u64 gen;	    /* the lease's gen that this answers */
	__s32 error;	    /* 0 or a negative errno: nothing was switched on */
	__u32 nr_functions; /* that its spec matched */
	__u64 on[BTAP_MASK_WORDS]; /* what of its want is on now */
	char text[512 - 16 - 8 * BTAP_MASK_WORDS]; /* reason or warning, ends with NUL */
};

struct btap_clock_pair {
	__u64 ticks; /* ring clock */
	__u64 mono_ns;
	__u64 real_ns;
	__u64 boot_ns;
};
#define BTAP_NR_CLOCK_PAIRS 1024 /* one a second, and one when a lease begins */
struct btap_clocks {
	__u64 count; /* pairs written so far; pair i is at i % BTAP_NR_CLOCK_PAIRS */
	__u64 pad[7];
	struct btap_clock_pair pair[BTAP_NR_CLOCK_PAIRS];
};

enum btap_string_kind {
	BTAP_STRING_ATOM = 1, /* key: the atom's term */
	BTAP_STRING_NAME = 2, /* key: the number by which `str` fields refer to it */
};
/* An entry takes sizeof + len bytes, rounded up to 8. */
struct btap_string {
	__u64 key;
	__u16 kind;
	__u16 len; /* bytes of UTF-8 */
	__u32 pad;
	char text[];
};
struct btap_strtab {
	__u64 used;  /* bytes of entries */
	__u64 count; /* entries */
	__u64 lost;  /* strings that found no room */
	__u64 pad[5];
	char data[];
};

/*
 * A ring.  The first cache lines are set up by the VM before `used` is set
 * (release); the second group is the writer's; the third the reader's in charge.
 */
struct btap_ring {
	__u32 used;	 /* 1: a thread has it.  A thread that ends leaves it as it is */
	__u32 kind;	 /* enum btap_thread_kind */
	__u32 number;	 /* scheduler number, from 1 */
	__u32 tid;	 /* kernel's thread id, as the VM sees it */
	__u64 data_off;	 /* in the region */
	__u32 sub_size;	 /* bytes, a power of two */
	__u32 nr_subs;	 /* a power of two, 2 or more */
	char name[32];	 /* of the thread: "1_scheduler" */

	__u64 turn;	 /* number of the sub-buffer that is being written, or cleared to be written */
	__u64 pos;	 /* bytes written: sub-buffer number * sub_size + offset */
	__u64 count;	 /* records offered so far, those dropped included, stacks not; stored after pos */
	__u64 dropped;	 /* of these, dropped when full */
	__u64 drop_time; /* ring clock of the last drop */
	__u64 pad1[3];

	__u64 tail;	 /* sub-buffers below this number may be overwritten */
	__u64 pad2[7];
};

/*
 * A sub-buffer's head, in its first 64 bytes.  Records follow, the first at
 * once.  What lies between the last record and the end of the sub-buffer is
 * undefined; `len` says where records end.
 */
struct btap_sub {
	__u64 number;	  /* of the sub-buffer */
	__u64 begin_time; /* ring clock; no record in it is older */
	__u64 end_time;	  /* of its last record; 0 until the writer has left it */
	__u64 first;	  /* records offered to the ring before this sub-buffer, stacks not counted */
	__u64 len;	  /* bytes, head included; 0 until the writer has left it */
	__u64 nr_records; /* in it, stacks not counted; 0 until the writer has left it */
	__u64 pad[2];
};

#endif /* BEAMTAP_REGION_H */
