// SPDX-License-Identifier: GPL-2.0
/*
 * region.c - a VM's memory: allocate, count references, outlive the VM
 *
 * The kernel writes the control page, lease pages and ring.tail, and reads nothing
 * of a region: the VM may write what it likes there.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "enable.h"
#include "held.h"
#include "limits.h"
#include "region.h"

DEFINE_MUTEX(btap_regions_lock);
LIST_HEAD(btap_regions);

static u32 last_id;

void *btap_region_at(const struct btap_region *r, u64 off)
{
	return page_address(r->pages[off >> PAGE_SHIFT]) + offset_in_page(off);
}

void btap_region_sum(const struct btap_region *r, struct btap_counts *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct btap_counts *c = per_cpu_ptr(r->counts, cpu);

		sum->fired += READ_ONCE(c->fired);
		sum->malformed += READ_ONCE(c->malformed);
		sum->unwanted += READ_ONCE(c->unwanted);
	}
}

static void free_pages_of(struct btap_region *r)
{
	unsigned long i;

	for (i = 0; r->pages && i < r->nr_pages && r->pages[i]; i++) {
		put_page(r->pages[i]);
		cond_resched();
	}
	btap_held_add(BTAP_HELD_PAGES, -(long)i);
	kvfree(r->pages);
}

static void free_region(struct kref *ref)
{
	struct btap_region *r = container_of(ref, struct btap_region, ref);

	free_pages_of(r);
	free_percpu(r->counts);
	btap_strtab_fini(&r->strings);
	put_pid(r->pid);
	mutex_destroy(&r->lock);
	mutex_destroy(&r->strings_lock);
	kfree(r);
	btap_held_add(BTAP_HELD_REGIONS, -1);
}

void btap_region_put(struct btap_region *r)
{
	kref_put(&r->ref, free_region);
}

/*
 * Single pages, charged to the caller's memory cgroup.  They are mapped as they
 * are; a fault after the region is gone cannot be, as a mapping holds its file.
 */
static int alloc_pages_of(struct btap_region *r)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	unsigned long i;

	r->pages = kvcalloc(r->nr_pages, sizeof(*r->pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!r->pages)
		return -ENOMEM;
	for (i = 0; i < r->nr_pages; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		r->pages[i] = alloc_page(gfp);
		if (!r->pages[i])
			return -ENOMEM;
		btap_held_add(BTAP_HELD_PAGES, 1);
		cond_resched();
	}
	return 0;
}

/* @len bytes from @off, which is page aligned, lie in a region of @size. */
static bool is_inside(u64 off, u64 len, u64 size)
{
	return !(off % BTAP_PAGE) && len <= size && off <= size - len;
}

static bool overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a < b + b_len && b < a + a_len;
}

static int check_new(const struct btap_new *req)
{
	u64 lease_len = (u64)req->nr_leases * BTAP_PAGE;
	u64 ring_len = (u64)req->nr_rings * sizeof(struct btap_ring);

	if (req->abi != BTAP_ABI)
		return -EPROTONOSUPPORT;
	if (req->id || req->reserved[0] || req->reserved[1])
		return -EINVAL;
	if (!req->size || req->size % PAGE_SIZE)
		return -EINVAL;
	if (!req->nr_leases || req->nr_leases > BTAP_MAX_LEASES || !req->nr_rings ||
	    req->nr_rings > BTAP_MAX_RINGS)
		return -EINVAL;
	if (req->size > btap_limits_region_bytes())
		return -E2BIG;
	if (!is_inside(req->ctl_off, BTAP_PAGE, req->size) ||
	    !is_inside(req->lease_off, lease_len, req->size) ||
	    !is_inside(req->ring_off, ring_len, req->size))
		return -EINVAL;
	if (overlap(req->ctl_off, BTAP_PAGE, req->lease_off, lease_len) ||
	    overlap(req->ctl_off, BTAP_PAGE, req->ring_off, ring_len) ||
	    overlap(req->lease_off, lease_len, req->ring_off, ring_len))
		return -EINVAL;
	return 0;
}

/* What its owner is charged for; with the list's lock. */
static u64 bytes_of(const struct btap_region *r)
{
	return r->size + r->strings.bytes;
}

/* What regions take, of all or of one user. */
struct usage {
	u64 bytes;
	unsigned int nr;
};

static void count(struct usage *all, struct usage *user, struct usage *dead, kuid_t uid)
{
	struct btap_region *r;

	list_for_each_entry(r, &btap_regions, node) {
		u64 bytes = bytes_of(r);

		all->bytes += bytes;
		all->nr++;
		if (uid_eq(r->uid, uid)) {
			user->bytes += bytes;
			user->nr++;
		}
		if (r->is_dead) {
			dead->bytes += bytes;
			dead->nr++;
		}
	}
}

/*
 * Move the region that is dead the longest and that nobody reads to @gone, which
 * is freed when the lock has been given back.  Return: was there one?
 */
static bool drop_oldest(const kuid_t *uid, struct list_head *gone)
{
	struct btap_region *r, *oldest = NULL;

	list_for_each_entry(r, &btap_regions, node) {
		if (!r->is_dead || r->nr_readers || (uid && !uid_eq(r->uid, *uid)))
			continue;
		if (!oldest || r->died_ns < oldest->died_ns)
			oldest = r;
	}
	if (!oldest)
		return false;
	list_move(&oldest->node, gone);
	return true;
}

static void put_all(struct list_head *gone)
{
	struct btap_region *r, *next;

	list_for_each_entry_safe(r, next, gone, node) {
		list_del(&r->node);
		btap_region_put(r);
	}
}

static void trim_orphans(struct list_head *gone)
{
	do {
		struct usage all = {}, user = {}, dead = {};

		count(&all, &user, &dead, GLOBAL_ROOT_UID);
		if (dead.nr <= btap_limits_orphans() && dead.bytes <= btap_limits_orphan_bytes())
			return;
	} while (drop_oldest(NULL, gone));
}

/*
 * Is there room for @bytes more of this user's, and for one region more if it is a
 * new one?  The dead make room for the living: those moved to @gone.
 */
static int make_room(kuid_t uid, u64 bytes, bool is_new, struct list_head *gone)
{
	for (;;) {
		struct usage all = {}, user = {}, dead = {};

		count(&all, &user, &dead, uid);
		if ((is_new && user.nr >= btap_limits_user_regions()) ||
		    user.bytes + bytes > btap_limits_user_bytes()) {
			if (!drop_oldest(&uid, gone))
				return -ENOSPC;
		} else if ((is_new && all.nr >= btap_limits_regions()) ||
			   all.bytes + bytes > btap_limits_total_bytes()) {
			if (!drop_oldest(NULL, gone))
				return -ENOSPC;
		} else {
			return 0;
		}
	}
}

/* Put it into the list if there is room. */
static int enlist(struct btap_region *r)
{
	LIST_HEAD(gone);
	int error;

	mutex_lock(&btap_regions_lock);
	error = make_room(r->uid, r->size, true, &gone);
	if (!error) {
		struct btap_region *other;
again:
		if (!++last_id)
			last_id = 1;
		list_for_each_entry(other, &btap_regions, node)
			if (other->id == last_id)
				goto again;
		r->id = last_id;
		kref_get(&r->ref);
		list_add_tail(&r->node, &btap_regions);
	}
	mutex_unlock(&btap_regions_lock);
	put_all(&gone);
	return error;
}

static void delist(struct btap_region *r)
{
	mutex_lock(&btap_regions_lock);
	list_del(&r->node);
	mutex_unlock(&btap_regions_lock);
	btap_region_put(r);
}

/* Strings are charged as the region is: to its owner, by the same limits. */
static int charge_strings(struct btap_strtab_hash *t, long bytes)
{
	struct btap_region *r = container_of(t, struct btap_region, strings);
	LIST_HEAD(gone);
	int error = 0;

	mutex_lock(&btap_regions_lock);
	if (bytes > 0) {
		if (t->bytes + bytes > btap_limits_string_bytes())
			error = -ENOSPC;
		else
			error = make_room(r->uid, bytes, false, &gone);
	}
	if (!error)
		t->bytes += bytes;
	mutex_unlock(&btap_regions_lock);
	put_all(&gone);
	return error;
}

struct btap_region *btap_region_new(struct btap_new *req)
{
	struct btap_region *r;
	int error;

	error = check_new(req);
	if (error)
		return ERR_PTR(error);
	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	btap_held_add(BTAP_HELD_REGIONS, 1);
	kref_init(&r->ref);
	mutex_init(&r->lock);
	mutex_init(&r->strings_lock);
	init_waitqueue_head(&r->wait);
	btap_strtab_init(&r->strings, charge_strings);
	r->size = req->size;
	r->nr_pages = req->size >> PAGE_SHIFT;
	r->ctl_off = req->ctl_off;
	r->lease_off = req->lease_off;
	r->ring_off = req->ring_off;
	r->nr_leases = req->nr_leases;
	r->nr_rings = req->nr_rings;
	r->uid = current_euid();
	r->pid = get_pid(task_tgid(current));
	r->counts = alloc_percpu_gfp(struct btap_counts, GFP_KERNEL_ACCOUNT);
	error = -ENOMEM;
	if (!r->counts)
		goto put;
	/* First the place, then the memory: what is asked for at once is counted at once. */
	error = enlist(r);
	if (error)
		goto put;
	error = alloc_pages_of(r);
	if (error)
		goto delist;
	WRITE_ONCE(btap_region_ctl(r)->off_since_ns, ktime_get_ns());
	req->id = r->id;
	return r;

delist:
	delist(r);
put:
	btap_region_put(r);
	return ERR_PTR(error);
}

/* Numbers of bits that text.c shifts by. */
static bool are_facts_sane(const struct btap_facts *f)
{
	return f->pid_number_bits < 64 && f->pid_serial_bits < 64 && f->port_number_bits < 64 &&
	       f->pid_shift < 64 && f->pid_shift + f->pid_number_bits < 64 && f->port_shift < 64;
}

int btap_region_publish(struct btap_region *r, const struct btap_facts *facts)
{
	int error = 0;

	mutex_lock(&btap_regions_lock);
	mutex_lock(&r->lock);
	if (r->is_dead) {
		error = -EINVAL;
	} else if (r->is_published) {
		memcpy(r->facts.node, facts->node, sizeof(r->facts.node));
	} else if (!are_facts_sane(facts)) {
		error = -EINVAL;
	} else {
		r->facts = *facts;
		/* Pairs with the acquire in btap_emit(). */
		smp_store_release(&r->is_published, true);
		btap_enable_region(r);
	}
	mutex_unlock(&r->lock);
	mutex_unlock(&btap_regions_lock);
	return error;
}

int btap_region_strings(struct btap_region *r, const void *data, size_t len)
{
	int error;

	mutex_lock(&r->strings_lock);
	error = btap_strtab_add(&r->strings, data, len);
	mutex_unlock(&r->strings_lock);
	return error;
}

void btap_region_die(struct btap_region *r)
{
	LIST_HEAD(gone);
	bool is_kept;

	mutex_lock(&btap_regions_lock);
	mutex_lock(&r->lock);
	if (r->is_dead) {
		mutex_unlock(&r->lock);
		mutex_unlock(&btap_regions_lock);
		return;
	}
	r->died_ns = ktime_get_ns();
	WRITE_ONCE(r->is_dead, true);
	is_kept = r->is_published;
	mutex_unlock(&r->lock);
	if (!is_kept)
		list_move(&r->node, &gone); /* nobody has seen it, nobody will */
	trim_orphans(&gone);
	mutex_unlock(&btap_regions_lock);
	wake_up_all(&r->wait);
	put_all(&gone);
}

static bool may_read(const struct btap_region *r, const struct file *file)
{
	return uid_eq(file->f_cred->euid, r->uid) ||
	       file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}

struct btap_region *btap_region_next(u32 id, const struct file *file)
{
	struct btap_region *r, *found = NULL;

	mutex_lock(&btap_regions_lock);
	list_for_each_entry(r, &btap_regions, node) {
		if (r->id < id || !r->is_published || (found && r->id > found->id))
			continue;
		if (may_read(r, file))
			found = r;
	}
	if (found)
		kref_get(&found->ref);
	mutex_unlock(&btap_regions_lock);
	return found;
}

struct btap_region *btap_region_attach(u32 id, const struct file *file)
{
	struct btap_region *r, *found = ERR_PTR(-ENOENT);

	mutex_lock(&btap_regions_lock);
	list_for_each_entry(r, &btap_regions, node) {
		if (r->id != id || !r->is_published)
			continue;
		found = ERR_PTR(-EACCES);
		if (may_read(r, file)) {
			kref_get(&r->ref);
			r->nr_readers++;
			found = r;
		}
		break;
	}
	mutex_unlock(&btap_regions_lock);
	return found;
}

void btap_region_detach(struct btap_region *r)
{
	LIST_HEAD(gone);

	mutex_lock(&btap_regions_lock);
	r->nr_readers--;
	/* Those that were read could not be dropped. */
	if (r->is_dead)
		trim_orphans(&gone);
	mutex_unlock(&btap_regions_lock);
	put_all(&gone);
	btap_region_put(r);
}

void btap_region_info(struct btap_region *r, struct btap_info *info)
{
	struct btap_counts sum;
	unsigned int i;

	btap_region_sum(r, &sum);
	memset(info, 0, sizeof(*info));
	info->id = r->id;
	info->os_pid = pid_nr_ns(r->pid, task_active_pid_ns(current));
	info->uid = from_kuid_munged(current_user_ns(), r->uid);
	info->size = r->size;
	info->fired = sum.fired;
	info->refused = sum.malformed + sum.unwanted;
	mutex_lock(&btap_regions_lock);
	info->nr_readers = r->nr_readers;
	mutex_unlock(&btap_regions_lock);
	mutex_lock(&r->lock);
	info->is_alive = !r->is_dead;
	info->died_ns = r->died_ns;
	for (i = 0; i < r->nr_leases; i++)
		info->nr_leases += !!r->lease[i].holder;
	mutex_unlock(&r->lock);
}

void btap_region_free_orphans(void)
{
	LIST_HEAD(gone);

	mutex_lock(&btap_regions_lock);
	list_splice_init(&btap_regions, &gone);
	mutex_unlock(&btap_regions_lock);
	put_all(&gone);
}
