/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What files of kernel/prefetch_ext use of the kernel, for prefetch/cases.c; comes before each of them. Headers of the
 * kernel are empty here (../Makefile makes them). RCU counts its readers: while there are any, no policy ends.
 */
#ifndef PREFETCH_KERNEL_H
#define PREFETCH_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;
typedef unsigned long pgoff_t;
typedef u64 __le64;
typedef unsigned int gfp_t;
typedef struct { unsigned long val; } swp_entry_t;
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;
typedef struct { long long counter; } atomic64_t;
typedef struct { bool held; pthread_mutex_t mutex; } spinlock_t;

#define CONFIG_PREFETCH_EXT 1
#define MODULE /* its glue is functions, not fields of a struct mem_cgroup */
#define CONFIG_CACHE_EXT_PIN 1
#define static_assert(c) _Static_assert(c, #c)
#define __percpu
#define __rcu
#define __force
#define U32_MAX UINT32_MAX
#define BUILD_BUG_ON(c) _Static_assert(!(c), #c)
#define le64_to_cpu(x) ((u64)(x)) /* where this runs */
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define mult_frac(x, n, d) ((x) / (d) * (n) + (x) % (d) * (n) / (d))
#define __init
#define pr_err(...) ((void)fprintf(stderr, __VA_ARGS__))
#define noinline
#undef __always_inline
#define __always_inline inline
#define __releases(lock)
#define __bpf_kfunc
#define __bpf_kfunc_start_defs()
#define __bpf_kfunc_end_defs()
#define EXPORT_SYMBOL(name)
#define THIS_MODULE NULL
#define likely(x) (x)
#define unlikely(x) (x)
#define BITS_PER_LONG 64
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096L
#define DIV_ROUND_UP_ULL(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP(n, d) DIV_ROUND_UP_ULL(n, d)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define min(a, b) ({ __auto_type __a = (a); __auto_type __b = (b); __a < __b ? __a : __b; })
#define max(a, b) ({ __auto_type __a = (a); __auto_type __b = (b); __a > __b ? __a : __b; })
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define __maybe_unused __attribute__((unused))
#define MAX_ERRNO 4095
#define ERR_PTR(err) ((void *)(long)(err))
#define PTR_ERR(p) ((long)(p))
#define IS_ERR(p) ((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define VM_WARN_ON_ONCE(c) ((c) ? abort() : (void)0)
#define cond_resched() ((void)0)

#define atomic_inc_return(v) __atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_read(v) atomic_long_read(v)
#define atomic_dec(v) ((void)__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_long_read(v) __atomic_load_n(&(v)->counter, __ATOMIC_SEQ_CST)
#define atomic_long_inc(v) ((void)__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_long_dec(v) atomic_dec(v)
#define atomic_long_add(n, v) ((void)__atomic_add_fetch(&(v)->counter, (n), __ATOMIC_SEQ_CST))
#define atomic_long_set(v, n) __atomic_store_n(&(v)->counter, (n), __ATOMIC_SEQ_CST)
#define atomic_long_try_cmpxchg(v, old, new)                                                                           \
	__atomic_compare_exchange_n(&(v)->counter, (old), (new), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic64_read(v) ((u64)__atomic_load_n(&(v)->counter, __ATOMIC_SEQ_CST))
#define atomic64_try_cmpxchg(v, old, new)                                                                              \
	__atomic_compare_exchange_n(&(v)->counter, (long long *)(old), (new), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define this_cpu_add(x, n) ((void)__atomic_add_fetch(&(x), (n), __ATOMIC_RELAXED))

struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
struct mutex { pthread_mutex_t mutex; bool held; };
#define DEFINE_MUTEX(name) struct mutex name = { PTHREAD_MUTEX_INITIALIZER, false }
#define mutex_lock(m) (pthread_mutex_lock(&(m)->mutex), (void)((m)->held = true))
#define mutex_unlock(m) ((m)->held = false, (void)pthread_mutex_unlock(&(m)->mutex))
struct kref { int count; };
struct completion { bool done; };
struct work_struct { void (*func)(struct work_struct *work); bool pending, running; };
struct delayed_work { struct work_struct work; };
#define to_delayed_work(w) container_of(w, struct delayed_work, work)
struct workqueue_struct;
struct kmem_cache;
/* @policy is that which is published, for world.c. */
struct mem_cgroup { struct mem_cgroup *parent; struct prefetch_ext_policy *policy; unsigned long limit; struct { u64 serial_nr; } css; };
struct mempolicy;
struct task_struct;
struct mm_struct { struct task_struct *owner; };
struct vm_fault;

#define kref_init(k) ((void)((k)->count = 1))
#define kref_get(k) ((void)__atomic_add_fetch(&(k)->count, 1, __ATOMIC_SEQ_CST))
#define kref_put(k, release) ({ if (!__atomic_sub_fetch(&(k)->count, 1, __ATOMIC_SEQ_CST)) release(k); })

struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
#define rcu_read_lock_held() (READ_ONCE(rcu_readers) > 0)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

#define HLIST_HEAD(name) struct hlist_head name = { NULL }
#define hlist_empty(h) (!READ_ONCE((h)->first))
#define hlist_entry_of(p, type, member) ({ struct hlist_node *__n = (p); __n ? container_of(__n, type, member) : NULL; })
#define hlist_for_each_entry(pos, head, member)                                                                        \
	for (pos = hlist_entry_of((head)->first, __typeof__(*pos), member); pos;                                       \
	     pos = hlist_entry_of(pos->member.next, __typeof__(*pos), member))
#define hlist_for_each_entry_safe(pos, n, head, member)                                                                \
	for (pos = hlist_entry_of((head)->first, __typeof__(*pos), member); pos && ((n = pos->member.next), 1);        \
	     pos = hlist_entry_of(n, __typeof__(*pos), member))

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	if (h->first)
		h->first->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void hlist_del(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

#define DEFINE_HASHTABLE(name, bits) struct hlist_head name[1 << (bits)]
#define HASH_BITS(name) ilog2(sizeof(name) / sizeof((name)[0]))
#define hash_add_rcu(name, n, key) hlist_add_head_rcu(n, &(name)[hash_long(key, HASH_BITS(name))])
#define hash_del_rcu(n) hlist_del(n)
extern unsigned long hash_visited; /* entries, by look-ups; one thread counts */
#define hash_for_each_possible_rcu(name, pos, member, key)                                                             \
	for (pos = hlist_entry_of(READ_ONCE((name)[hash_long(key, HASH_BITS(name))].first), __typeof__(*pos), member); \
	     pos && (hash_visited++, 1); pos = hlist_entry_of(READ_ONCE(pos->member.next), __typeof__(*pos), member))

static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (h->first)
		h->first->pprev = &n->next;
	smp_store_release(&h->first, n);
}

#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }
static inline void INIT_LIST_HEAD(struct list_head *h)
{
	h->next = h->prev = h;
}

static inline void list_add_tail(struct list_head *n, struct list_head *h)
{
	n->next = h;
	n->prev = h->prev;
	h->prev->next = n;
	h->prev = n;
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	if (from->next == from)
		return;
	from->next->prev = to;
	from->prev->next = to->next;
	to->next->prev = from->prev;
	to->next = from->next;
	INIT_LIST_HEAD(from);
}

#define list_first_entry(h, type, member) container_of((h)->next, type, member)
#define list_empty(h) ((h)->next == (h))
#define list_move_tail(n, h) (list_del(n), list_add_tail(n, h))
static inline void list_del(struct list_head *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
}

#define list_for_each_entry(pos, h, member)                                                                            \
	for (pos = container_of((h)->next, __typeof__(*pos), member); &pos->member != (h);                             \
	     pos = container_of(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, h, member)                                                                    \
	for (pos = container_of((h)->next, __typeof__(*pos), member);                                                  \
	     &pos->member != (h) && ((n = container_of(pos->member.next, __typeof__(*pos), member)), 1); pos = n)

void spin_lock_init(spinlock_t *lock);
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
#define spin_lock_irqsave(lock, irq) ((void)((irq) = 0), spin_lock(lock))
#define spin_unlock_irqrestore(lock, irq) ((void)(irq), spin_unlock(lock))
extern int rcu_readers;
#define rcu_read_lock() ((void)__atomic_add_fetch(&rcu_readers, 1, __ATOMIC_SEQ_CST))
void rcu_read_unlock(void);
#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)

/* Who is in it, by default, and its folios: world.c. */
extern struct mem_cgroup group;

__attribute__((noreturn, format(printf, 1, 2))) void shim_die(const char *format, ...);
#define shim_might_sleep() (READ_ONCE(rcu_readers) ? abort() : (void)0)
void shim_pass_by(void);

#define GFP_KERNEL 1
#define GFP_NOWAIT 2
#define GFP_ATOMIC 4
#define __GFP_NOWARN 0
#define __GFP_ACCOUNT 0
#define SLAB_ACCOUNT 0
#define kmalloc(size, gfp) malloc(size)
#define kfree(p) free(p)
#define kvcalloc(n, size, gfp) calloc(n, size)
#define kvfree(p) free(p)
#define KMEM_CACHE(type, flags) ((struct kmem_cache *)sizeof(struct type))
#define kmem_cache_destroy(cache) ((void)(cache))
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
#define kmem_cache_free(cache, p) free(p)
/* Nothing else is freed so. Its head is not where it begins. */
void free_mark_rcu(struct rcu_head *head);
#define kfree_rcu(p, member) (rcu_offset = offsetof(__typeof__(*(p)), member), call_rcu(&(p)->member, free_mark_rcu))
extern size_t rcu_offset;

static inline unsigned long hash_long(unsigned long key, unsigned int bits)
{
	return key * 0x61c8864680b583ebUL >> (64 - bits);
}

#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + 63) / 64]
#define bitmap_zero(map, bits) memset(map, 0, (bits) / 8)
#define test_bit(n, map) ((map)[(n) / 64] >> (n) % 64 & 1)

static inline void __assign_bit(unsigned int n, unsigned long *map, bool value)
{
	map[n / 64] = (map[n / 64] & ~(1UL << n % 64)) | (unsigned long)value << n % 64;
}

#define WQ_UNBOUND 1
#define WQ_MAX_ACTIVE 512
#define HZ 1000
unsigned long jiffies_now(void);
#define jiffies jiffies_now()
#define time_before(a, b) ((long)((a) - (b)) < 0)
#define time_in_range(a, b, c) (!time_before(a, b) && !time_before(c, a))
#define INIT_DELAYED_WORK(w, fn) ((void)((w)->work = (struct work_struct){ .func = (fn) }))
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active);
void destroy_workqueue(struct workqueue_struct *wq);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work, unsigned long delay);

/* ---- BPF ----------------------------------------------------------------------------------------------------------- */

struct bpf_link;
struct bpf_prog { u32 expected_attach_type; };
struct btf_kfunc_id_set { void *owner; const void *set; int (*filter)(const struct bpf_prog *prog, u32 id); };
extern const struct btf_kfunc_id_set *registered;
#define bpf_prog_run(prog, args) ((void)(prog), (void)(args), abort())
#define preempt_disable()
#define preempt_enable()
struct static_key_false_deferred { bool key; };
extern bool bpf_stats_enabled_key;
#define static_branch_unlikely(key) (*(key))
typedef u64 ktime_t;
u64 ktime_get_ns(void);
#define local_clock() ktime_get_ns()
#define ktime_get() ktime_get_ns()
long long ktime_get_seconds(void);
#define ktime_to_us(t) ((t) / 1000)
#define BTF_KFUNCS_START(name) static const int name;
#define BTF_KFUNCS_END(name)
#define BTF_SET_START(name) static const int name;
#define BTF_SET_END(name)
#define BTF_ID_FLAGS(...)
#define BTF_ID(...)
#define btf_id_set8_contains(set, id) (*(set) + (id))
#define btf_id_set_contains(set, id) (*(set) + (id))

/* ---- /proc ------------------------------------------------------------------------------------------------------------ */

struct seq_file { char text[4 << 20]; size_t length; };
struct proc_dir_entry;
/* Not under prefetch_ext_mutex, but for a few policies that have ended. */
__attribute__((format(printf, 2, 3))) void seq_printf(struct seq_file *m, const char *format, ...);
#define seq_putc(m, c) seq_printf(m, "%c", c)
void proc_create_single(const char *name, int mode, struct proc_dir_entry *dir, int (*show)(struct seq_file *m, void *v));
#define proc_mkdir(name, parent) ((struct proc_dir_entry *)&show_stat)
#define remove_proc_subtree(name, parent) ((void)0)
extern int (*show_stat)(struct seq_file *m, void *v);
/* Called once, before a line is written. */
extern void (*while_shown)(void);

/* ---- Swap ---------------------------------------------------------------------------------------------------------- */

struct folio;
struct swap_iocb;
typedef struct { int unused; } pte_t;
typedef struct { int unused; } pmd_t;
struct vm_area_struct { struct mm_struct *vm_mm; unsigned long vm_start, vm_end; };
struct vm_fault { struct vm_area_struct *vma; pmd_t *pmd; unsigned long address; unsigned int flags; };
struct swap_info_struct { unsigned int max; unsigned long flags; unsigned char *swap_map; };

#define SWP_WRITEOK 1
#define SWP_SYNCHRONOUS_IO 2
#define SWAP_HAS_CACHE 0x40
#define __uninitialized
#define FAULT_FLAG_TRIED 1
#define __GFP_NORETRY 0
#define NSEC_PER_USEC 1000
#define PMD_MASK (~0x1fffffUL)
#define SWAP_RA 0
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define data_race(x) (x)
#define ilog2(n) (63 - __builtin_clzl(n))
#define fls64(n) ((n) ? 64 - __builtin_clzll(n) : 0)
#define hash_ptr(p, bits) hash_long((unsigned long)(p), bits)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define per_cpu_ptr(p, cpu) ((void)(cpu), (p))
#define num_possible_cpus() 1
#define this_cpu_inc(x) this_cpu_add(x, 1)
#define DEFINE_PER_CPU(type, name) type name
#define this_cpu_ptr(p) (p)
#define local_irq_save(flags) ((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))
#define barrier() __asm__ volatile("" ::: "memory")
#define this_cpu_read(x) READ_ONCE(x)
#define this_cpu_write(x, v) WRITE_ONCE(x, v)
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define swp_entry(type, offset) ((swp_entry_t){ (offset) })
#define swp_type(entry) 0U
#define swp_offset(entry) ((entry).val)
#define swap_cache_index(entry) ((entry).val)
#define swap_address_space(entry) (&swap_cache)
#define swp_swap_info(entry) (&swap_device)
#define get_swap_device(entry) (&swap_device)
#define put_swap_device(si) ((void)(si))
#define lookup_swap_cgroup_id(entry) 1
#define mem_cgroup_from_id(id) swap_owner
extern struct mem_cgroup *swap_owner; /* of all slots: the policy's, unless a case says another */
#define __swap_count(entry) 1
#define fault_flag_allow_retry_first(flags) false
#define filemap_get_folio(mapping, index) ((struct folio *)ERR_PTR(-ENOENT))
#define folio_test_uptodate(f) true
#define folio_test_readahead(f) false
#define folio_test_writeback(f) READ_ONCE((f)->written)
#define folio_set_readahead(f) ((void)(f))
#define folio_put(f) ((void)(f))
#define count_vm_event(event) ((void)0)
#define swap_read_unplug(plug) ((void)(plug))
#define mm_find_pmd(mm, addr) NULL
#define pte_offset_map(pmd, addr) ((pte_t *)NULL)
#define pte_unmap(pte) ((void)(pte))
#define ptep_get_lockless(pte) (*(pte))
#define is_swap_pte(pte) ((pte).unused)
#define pte_to_swp_entry(pte) ((swp_entry_t){ 0 })
#define non_swap_entry(entry) false

extern struct address_space swap_cache;
extern struct swap_info_struct swap_device;
extern int page_cluster;
struct folio *__read_swap_cache_async(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol, pgoff_t ilx, bool *ours,
				      bool skip);
void swap_read_folio(struct folio *folio, struct swap_iocb **plug);

/* ---- Anonymous folios: one process maps them -------------------------------------------------------------------------- */

#define DEF_PRIORITY 12
#define mem_cgroup_disabled() false
struct ftrace_ops { int unused; };
struct ftrace_regs { unsigned long args[3], ip; };
#define ftrace_regs_get_argument(regs, nr) ((regs)->args[nr])
#define ftrace_regs_set_instruction_pointer(regs, to) ((void)((regs)->ip = (to)))
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset);
int unregister_ftrace_function(struct ftrace_ops *ops);
unsigned long cache_ext_symbol(const char *name);
/* Code of the module is what lies here. */
#define OUR_TEXT 0x100000UL
#define within_module_mem_type(at, mod, type) ((at) - OUR_TEXT < 0x1000)
/* Which is a read side of RCU, as the kernel has it. */
#define preempt_disable_notrace() rcu_read_lock()
#define preempt_enable_notrace() rcu_read_unlock()
#define rcu_dereference_sched(p) rcu_dereference(p)
#define parent_mem_cgroup(memcg) ((memcg)->parent)
bool mem_cgroup_is_descendant(struct mem_cgroup *memcg, struct mem_cgroup *root);
#define mem_cgroup_from_css(css) (css)
/* All tasks are in one cgroup. */
#define task_css(task, id) ((void)(task), rcu_readers ? the_task.memcg : (abort(), NULL))
/* As kernel/module/compat/charge.h has it for a kernel. */
#define policy_ext_memcg_of(f) memcg_untagged((unsigned long)folio_memcg(f))
static inline struct mem_cgroup *memcg_untagged(unsigned long data)
{
	return data & 7UL ? NULL : (struct mem_cgroup *)data;
}
#define folio_memcg(f) READ_ONCE(((struct folio *)(f))->memcg)
#define folio_likely_mapped_shared(f) ((void)(f), false)
#define folio_test_workingset(f) ((void)(f), true)
#define task_tgid_nr(task) 42
#define strscpy(to, from, size) ((void)snprintf(to, size, "%s", from))
struct page_vma_mapped_walk { unsigned long address; };
#define DEFINE_FOLIO_VMA_WALK(name, f, vma, at, flags) struct page_vma_mapped_walk name = { .address = (at) }
#define page_vma_mapped_walk(walk) ((walk)->address)
#define page_vma_mapped_walk_done(walk) ((void)(walk))
struct anon_vma;
struct rmap_walk_control {
	bool (*rmap_one)(struct folio *folio, struct vm_area_struct *vma, unsigned long address, void *arg);
	struct anon_vma *(*anon_lock)(struct folio *folio, struct rmap_walk_control *rwc);
	void *arg;
	bool try_lock;
};
struct anon_vma *folio_lock_anon_vma_read(struct folio *folio, struct rmap_walk_control *rwc);
void rmap_walk(struct folio *folio, struct rmap_walk_control *rwc);

/* ---- Files --------------------------------------------------------------------------------------------------------- */

#define FILE_PAGES 8192

struct folio {
	struct address_space *mapping;
	pgoff_t index;
	unsigned long more; /* pages but the first */
	struct mem_cgroup *memcg;
	bool in_use, written;
};
struct xarray { spinlock_t lock; struct folio *pages[FILE_PAGES]; };
struct inode { mode_t i_mode; loff_t i_size; struct address_space *i_mapping; };
struct address_space { struct inode *host; struct xarray i_pages; };
struct vfsmount { int unused; };
struct path { struct vfsmount *mnt; void *dentry; };
struct file_ra_state { unsigned long start, size, async_size, ra_pages; };
struct file {
	struct inode *f_inode;
	struct address_space *f_mapping;
	struct path f_path;
	struct file_ra_state f_ra;
	spinlock_t f_lock;
	unsigned int f_flags, f_mode;
};
struct readahead_control { struct file *file; struct address_space *mapping; struct file_ra_state *ra; pgoff_t _index; };
struct kiocb { struct file *ki_filp; loff_t ki_pos; int ki_flags; };
struct backing_dev_info { unsigned long ra_pages, io_pages; };
struct blk_plug { int unused; };
#define TASK_COMM_LEN 16
struct task_struct { unsigned int flags; int pid; char comm[TASK_COMM_LEN]; struct mem_cgroup *memcg; };
struct folio_batch { unsigned int nr; struct folio *folios[15]; };
struct writeback_control { int sync_mode; long nr_to_write; loff_t range_start, range_end; };

#ifndef O_DIRECT
#define O_DIRECT 040000
#endif
#define FMODE_READ 1
#define FMODE_WRITE 2
#define FMODE_RANDOM 4
#define IOCB_DIRECT 1
#define IOCB_NOWAIT 2
#define PF_KTHREAD 1
#define PF_MEMALLOC 2
#define PAGE_MAPPING_FLAGS 3UL
#define WB_SYNC_NONE 0
#define WB_SYNC_ALL 1
#define current (acting)
extern struct task_struct the_task, *acting;

#define DEFINE_READAHEAD(name, f, r, m, i)                                                                             \
	struct readahead_control name = { .file = (f), .mapping = (m), .ra = (r), ._index = (i) }
#define readahead_index(r) ((r)->_index)
#define IS_DAX(inode) false
#define file_inode(f) ((f)->f_inode)
#define offset_in_page(pos) ((unsigned long)(pos) & (PAGE_SIZE - 1))
#define i_size_read(inode) ((inode)->i_size)
#define mapping_can_writeback(m) true
#define mapping_min_folio_order(m) 0
#define blk_start_plug(p) ((void)(p))
#define blk_finish_plug(p) ((void)(p))
#define lru_add_drain() ((void)0)
extern int drains; /* of all CPUs */
#define lru_add_drain_all() ((void)__atomic_add_fetch(&drains, 1, __ATOMIC_SEQ_CST))
#define schedule_timeout_uninterruptible(jiffies) ((void)(jiffies))
#define folio_mapped(f) false
#define folio_test_dirty(f) false
#define folio_test_lru(f) true
#define xa_is_value(p) false
#define xa_lock_irqsave(xa, irq) spin_lock_irqsave(&(xa)->lock, irq)
#define xa_unlock_irqrestore(xa, irq) spin_unlock_irqrestore(&(xa)->lock, irq)
#define xa_load(xa, i) ((void *)((i) < FILE_PAGES ? READ_ONCE((xa)->pages[i]) : NULL))
#define DEFINE_XARRAY_ALLOC1(name) struct xarray name
#define XA_LIMIT(least, most) (most)
int xa_alloc(struct xarray *xa, u32 *id, void *entry, u32 most, gfp_t gfp);
#define xa_store(xa, i, entry, gfp) WRITE_ONCE((xa)->pages[i], entry)
#define xa_erase(xa, i) xa_store(xa, i, NULL, 0)
#define folio_test_large(f) false
#define folio_nr_pages(f) ((f)->more + 1)
#define folio_next_index(f) ((f)->index + 1)
#define folio_trylock(f) true
#define folio_unlock(f) ((void)(f))
#define folio_batch_init(b) ((void)((b)->nr = 0))
#define folio_batch_count(b) ((b)->nr)
#define folio_batch_release(b) ((void)((b)->nr = 0))
extern int inodes_held;
#define mntget(mnt) (mnt)
#define mntput(mnt) ((void)(mnt))
#define ihold(inode) ((void)(inode), (void)__atomic_add_fetch(&inodes_held, 1, __ATOMIC_SEQ_CST))
#define iput(inode) ((void)(inode), (void)__atomic_sub_fetch(&inodes_held, 1, __ATOMIC_SEQ_CST))

struct backing_dev_info *inode_to_bdi(struct inode *inode);
pgoff_t page_cache_next_miss(struct address_space *mapping, pgoff_t index, unsigned long most);
void page_cache_ra_unbounded(struct readahead_control *ractl, unsigned long nr, unsigned long ahead);
unsigned int filemap_get_folios(struct address_space *mapping, pgoff_t *index, pgoff_t last, struct folio_batch *batch);
unsigned long mapping_evict_folio(struct address_space *mapping, struct folio *folio);
int filemap_fdatawrite_wbc(struct address_space *mapping, struct writeback_control *wbc);
int filemap_fdatawait_range_keep_errors(struct address_space *mapping, loff_t start, loff_t end);

#endif
