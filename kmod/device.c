// SPDX-License-Identifier: GPL-2.0
/*
 * device.c - open, mmap, ioctl, write: the only file that touches user pointers
 *
 * All that comes from a process is copied once, and what was copied is checked.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "device.h"
#include "emit.h"
#include "enable.h"
#include "held.h"
#include "lease.h"
#include "region.h"

enum part {
	PART_NONE,
	PART_VM,
	PART_READER,
};

struct btap_file {
	struct mutex lock; /* for settling its part */
	enum part part;
	struct btap_region *region; /* counted; set once, release */
};

#define STRINGS_MAX (1u << 20)
/* Words that are copied to the stack; the rare longer records take memory. */
#define FEW_WORDS   32

static int btap_open(struct inode *inode, struct file *file)
{
	struct btap_file *bf = kzalloc(sizeof(*bf), GFP_KERNEL_ACCOUNT);

	if (!bf)
		return -ENOMEM;
	btap_held_add(BTAP_HELD_FILES, 1);
	mutex_init(&bf->lock);
	file->private_data = bf;
	return nonseekable_open(inode, file);
}

static struct btap_region *region_of(struct btap_file *bf)
{
	/* Pairs with the release in settle(): part was set before. */
	return smp_load_acquire(&bf->region);
}

static bool is_vm(const struct btap_region *r)
{
	return r->pid == task_tgid(current);
}

/* Called for each close() of a descriptor; the VM's own says that it is dead. */
static int btap_flush(struct file *file, fl_owner_t id)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);

	if (r && bf->part == PART_VM && is_vm(r))
		btap_region_die(r);
	return 0;
}

static int btap_release(struct inode *inode, struct file *file)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);

	if (r && bf->part == PART_VM) {
		btap_region_die(r);
		btap_region_put(r);
	} else if (r) {
		btap_lease_return(r, bf);
		btap_region_detach(r);
	}
	mutex_destroy(&bf->lock);
	kfree(bf);
	btap_held_add(BTAP_HELD_FILES, -1);
	return 0;
}

/* -- memory -- */

static vm_fault_t btap_fault(struct vm_fault *vmf)
{
	struct btap_region *r = vmf->vma->vm_private_data;

	if (vmf->pgoff >= r->nr_pages)
		return VM_FAULT_SIGBUS;
	get_page(r->pages[vmf->pgoff]);
	vmf->page = r->pages[vmf->pgoff];
	return 0;
}

static const struct vm_operations_struct btap_vm_ops = {
	.fault = btap_fault,
};

static int btap_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);

	/* A private mapping would be a copy; VM_SHARED itself is not set for a read-only file. */
	if (!r || !(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	if (vma->vm_pgoff >= r->nr_pages || vma_pages(vma) > r->nr_pages - vma->vm_pgoff)
		return -EINVAL;
	if (bf->part == PART_VM) {
		if (!is_vm(r) || r->is_dead)
			return -EPERM;
		btap_compat_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	} else {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		btap_compat_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
				     VM_MAYEXEC | VM_MAYWRITE);
	}
	vma->vm_ops = &btap_vm_ops;
	vma->vm_private_data = r;
	return 0;
}

/* -- records -- */

static ssize_t btap_write(struct file *file, const char __user *data, size_t len, loff_t *pos)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);
	u64 few[FEW_WORDS], *words = few;
	ssize_t error;

	if (!r || bf->part != PART_VM)
		return -EINVAL;
	if (!is_vm(r) || READ_ONCE(r->is_dead))
		return -EPERM;
	/* Pairs with the release in btap_region_publish(): facts are whole. */
	if (!smp_load_acquire(&r->is_published))
		return -EINVAL;
	if (!len || len % 8 || len > BTAP_MAX_WORDS * 8) {
		btap_emit_refuse(r);
		return -EINVAL;
	}
	if (len > sizeof(few)) {
		words = kmalloc(len, GFP_KERNEL);
		if (!words)
			return -ENOMEM;
	}
	error = -EFAULT;
	if (!copy_from_user(words, data, len))
		error = btap_emit(r, words, len / 8);
	if (words != few)
		kfree(words);
	return error ? error : len;
}

/* -- calls of both sides -- */

static __poll_t btap_poll(struct file *file, poll_table *wait)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);

	if (!r)
		return EPOLLERR;
	poll_wait(file, &r->wait, wait);
	if (bf->part == PART_READER)
		return READ_ONCE(r->is_dead) ? EPOLLHUP : 0;
	return READ_ONCE(r->lease_changes) != READ_ONCE(r->lease_seen) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* This file's part, once; with its lock. */
static void settle(struct btap_file *bf, enum part part, struct btap_region *r)
{
	bf->part = part;
	if (r) {
		/* Pairs with the acquire in region_of(): who sees the region sees the part. */
		smp_store_release(&bf->region, r);
	}
}

static long ioc_new(struct btap_file *bf, void __user *arg)
{
	struct btap_region *r;
	struct btap_new req;
	long error = -EINVAL;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	mutex_lock(&bf->lock);
	if (bf->part != PART_NONE)
		goto unlock;
	r = btap_region_new(&req);
	error = PTR_ERR_OR_ZERO(r);
	if (error)
		goto unlock;
	/* From here on the file ends the region, also when the answer does not arrive. */
	settle(bf, PART_VM, r);
	if (copy_to_user(arg, &req, sizeof(req)))
		error = -EFAULT;
unlock:
	mutex_unlock(&bf->lock);
	return error;
}

static long ioc_publish(struct btap_region *r, void __user *arg)
{
	struct btap_facts *facts = memdup_user(arg, sizeof(*facts));
	long error;

	if (IS_ERR(facts))
		return PTR_ERR(facts);
	error = btap_region_publish(r, facts);
	kfree(facts);
	return error;
}

static long ioc_strings(struct btap_region *r, void __user *arg)
{
	struct btap_strings req;
	void *data;
	long error;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (req.len > STRINGS_MAX)
		return -EINVAL;
	if (!req.len)
		return 0;
	data = vmemdup_user(u64_to_user_ptr(req.data), req.len);
	if (IS_ERR(data))
		return PTR_ERR(data);
	error = btap_region_strings(r, data, req.len);
	kvfree(data);
	return error;
}

static long ioc_switch(struct btap_region *r, void __user *arg)
{
	struct btap_switch req;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	return btap_enable_switch(r, &req);
}

static long vm_ioctl(struct btap_region *r, unsigned int cmd, void __user *arg)
{
	if (!is_vm(r) || READ_ONCE(r->is_dead))
		return -EPERM;
	switch (cmd) {
	case BTAP_IOC_PUBLISH:
		return ioc_publish(r, arg);
	case BTAP_IOC_STRINGS:
		return ioc_strings(r, arg);
	case BTAP_IOC_SWITCH:
		return ioc_switch(r, arg);
	case BTAP_IOC_SEEN:
		btap_lease_seen(r);
		return 0;
	}
	return -ENOTTY;
}

static long ioc_next(struct file *file, struct btap_file *bf, void __user *arg)
{
	struct btap_region *r;
	struct btap_info info;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	mutex_lock(&bf->lock);
	if (bf->part == PART_VM) {
		mutex_unlock(&bf->lock);
		return -EINVAL;
	}
	settle(bf, PART_READER, NULL);
	mutex_unlock(&bf->lock);
	r = btap_region_next(info.id, file);
	if (!r)
		return -ENOENT;
	btap_region_info(r, &info);
	btap_region_put(r);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioc_attach(struct file *file, struct btap_file *bf, void __user *arg)
{
	struct btap_region *r;
	struct btap_info info;
	long error = -EINVAL;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	mutex_lock(&bf->lock);
	if (bf->part == PART_VM || bf->region)
		goto unlock;
	r = btap_region_attach(info.id, file);
	error = PTR_ERR_OR_ZERO(r);
	if (error)
		goto unlock;
	settle(bf, PART_READER, r);
	btap_region_info(r, &info);
	if (copy_to_user(arg, &info, sizeof(info)))
		error = -EFAULT;
unlock:
	mutex_unlock(&bf->lock);
	return error;
}

static long ioc_info(struct btap_region *r, void __user *arg)
{
	struct btap_info info;

	btap_region_info(r, &info);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioc_lease(struct btap_region *r, struct btap_file *bf, void __user *arg)
{
	struct btap_lease_req req;
	char *spec = NULL;
	long error;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (req.spec_len > BTAP_LEASE_SPEC_MAX)
		return -EINVAL;
	if (req.spec_len) {
		spec = memdup_user(u64_to_user_ptr(req.spec), req.spec_len);
		if (IS_ERR(spec))
			return PTR_ERR(spec);
	}
	error = btap_lease_set(r, bf, &req, spec);
	kfree(spec);
	if (!error && copy_to_user(arg, &req, sizeof(req)))
		error = -EFAULT;
	return error;
}

static long ioc_tail(struct btap_region *r, struct btap_file *bf, void __user *arg)
{
	struct btap_tail req;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	return btap_lease_tail(r, bf, &req);
}

static long reader_ioctl(struct btap_region *r, struct btap_file *bf, unsigned int cmd,
			 void __user *arg)
{
	switch (cmd) {
	case BTAP_IOC_LEASE:
		return ioc_lease(r, bf, arg);
	case BTAP_IOC_BEAT:
		return btap_lease_beat(r, bf);
	case BTAP_IOC_RETURN:
		return btap_lease_return(r, bf);
	case BTAP_IOC_TAIL:
		return ioc_tail(r, bf, arg);
	}
	return -ENOTTY;
}

static long btap_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	struct btap_file *bf = file->private_data;
	struct btap_region *r = region_of(bf);
	void __user *arg = (void __user *)uarg;

	switch (cmd) {
	case BTAP_IOC_NEW:
		return ioc_new(bf, arg);
	case BTAP_IOC_NEXT:
		return ioc_next(file, bf, arg);
	case BTAP_IOC_ATTACH:
		return ioc_attach(file, bf, arg);
	case BTAP_IOC_INFO:
		return r ? ioc_info(r, arg) : -EINVAL;
	case BTAP_IOC_PUBLISH:
	case BTAP_IOC_STRINGS:
	case BTAP_IOC_SWITCH:
	case BTAP_IOC_SEEN:
		return r && bf->part == PART_VM ? vm_ioctl(r, cmd, arg) : -EINVAL;
	case BTAP_IOC_LEASE:
	case BTAP_IOC_BEAT:
	case BTAP_IOC_RETURN:
	case BTAP_IOC_TAIL:
		return r && bf->part == PART_READER ? reader_ioctl(r, bf, cmd, arg) : -EINVAL;
	}
	return -ENOTTY;
}

static const struct file_operations btap_fops = {
	.owner = THIS_MODULE,
	.open = btap_open,
	.flush = btap_flush,
	.release = btap_release,
	.mmap = btap_mmap,
	.write = btap_write,
	.poll = btap_poll,
	.unlocked_ioctl = btap_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/*
 * Open to all: each user may tap his own VMs, and who may read what is decided
 * region by region.  What a user can take is bounded by parameters.
 */
static struct miscdevice btap_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "beamtap",
	.mode = 0666,
	.fops = &btap_fops,
};

int btap_device_init(void)
{
	return misc_register(&btap_misc);
}

void btap_device_exit(void)
{
	misc_deregister(&btap_misc);
}
