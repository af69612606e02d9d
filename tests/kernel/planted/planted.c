// SPDX-License-Identifier: GPL-2.0
/*
 * planted.c - faults made on purpose, to prove that a debug kernel's checkers see them
 *
 * `echo NAME > /sys/module/planted/parameters/fault` commits the fault of that
 * name (the table at the end) in the thread that writes.  Each is what a real
 * bug would look like to its checker, and none of them destroys anything that
 * belongs to others, but for `null`, which ends the kernel.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#define PIECE	40 /* bytes, of an object of 64 */

/* The compiler shall neither see through what is wrong nor drop it. */
static noinline char peek(const char *p, size_t at)
{
	OPTIMIZER_HIDE_VAR(p);
	return READ_ONCE(p[at]);
}

static int fault_none(void)
{
	char *p = kzalloc(PIECE, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	peek(p, PIECE - 1);
	kfree(p);
	return 0;
}

static int fault_oob(void)
{
	char *p = kzalloc(PIECE, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	peek(p, PIECE);
	kfree(p);
	return 0;
}

static int fault_uaf(void)
{
	char *p = kzalloc(PIECE, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	kfree(p);
	peek(p, 8);
	return 0;
}

/* Regions are made of such memory: behind its end, but in its last page. */
static int fault_vmalloc(void)
{
	char *p = vmalloc(PIECE);

	if (!p)
		return -ENOMEM;
	peek(p, PIECE + 8);
	vfree(p);
	return 0;
}

static int fault_leak(void)
{
	char *p = kzalloc(PIECE, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	peek(p, 0);
	return 0; /* and p is lost */
}

static int fault_vleak(void)
{
	char *p = vmalloc_user(4 * PAGE_SIZE);

	if (!p)
		return -ENOMEM;
	peek(p, 0);
	return 0;
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int fault_inversion(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

static DEFINE_SPINLOCK(atomic_here);

static int fault_atomic(void)
{
	char *p;

	spin_lock(&atomic_here);
	p = kzalloc(PIECE, GFP_KERNEL); /* may sleep */
	spin_unlock(&atomic_here);
	kfree(p);
	return 0;
}

static int fault_shift(void)
{
	int by = 40, one = 1;

	OPTIMIZER_HIDE_VAR(by);
	OPTIMIZER_HIDE_VAR(one);
	one <<= by;
	OPTIMIZER_HIDE_VAR(one);
	return 0;
}

static int fault_index(void)
{
	static struct {
		int few[4], more[4];
	} both;
	int i = 5;

	OPTIMIZER_HIDE_VAR(i);
	WRITE_ONCE(both.few[i], 1); /* lands in more: wrong by the type alone */
	return 0;
}

static int fault_warn(void)
{
	WARN_ON(1);
	return 0;
}

static int fault_null(void)
{
	peek(NULL, 0);
	return 0;
}

/* Not a fault: each of three allocations may fail, and all is given back. */
static int fault_alloc(void)
{
	char *a, *b, *c;
	int err = -ENOMEM;

	a = kzalloc(PIECE, GFP_KERNEL);
	if (!a)
		return err;
	b = vmalloc_user(4 * PAGE_SIZE);
	if (!b)
		goto free_a;
	c = kzalloc(PIECE, GFP_KERNEL_ACCOUNT);
	if (!c)
		goto free_b;
	err = 0;
	kfree(c);
free_b:
	vfree(b);
free_a:
	kfree(a);
	return err;
}

/* The same with a mistake that shows only when the second one fails. */
static int fault_undo(void)
{
	char *a, *b;

	a = kzalloc(PIECE, GFP_KERNEL);
	if (!a)
		return -ENOMEM;
	b = kzalloc(PIECE, GFP_KERNEL);
	if (!b)
		return -ENOMEM; /* a is lost */
	kfree(b);
	kfree(a);
	return 0;
}

static const struct {
	const char *name;
	int (*commit)(void);
} faults[] = {
	{ "none", fault_none },
	{ "oob", fault_oob },
	{ "uaf", fault_uaf },
	{ "vmalloc", fault_vmalloc },
	{ "leak", fault_leak },
	{ "vleak", fault_vleak },
	{ "inversion", fault_inversion },
	{ "atomic", fault_atomic },
	{ "shift", fault_shift },
	{ "index", fault_index },
	{ "warn", fault_warn },
	{ "null", fault_null },
	{ "alloc", fault_alloc },
	{ "undo", fault_undo },
};

static int fault_set(const char *text, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (sysfs_streq(text, faults[i].name))
			return faults[i].commit();
	return -EINVAL;
}

static const struct kernel_param_ops fault_ops = { .set = fault_set };
module_param_cb(fault, &fault_ops, NULL, 0200);
MODULE_PARM_DESC(fault, "name of the fault to commit");

MODULE_DESCRIPTION("Faults made on purpose, to test a debug kernel's checkers");
MODULE_LICENSE("GPL");
