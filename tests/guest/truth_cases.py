"""truth_cases.py - what truth.py runs: each way of tracing, in each layout, and liars that must be found."""
import random

from truth import DYNAMIC, Run, T, claim
from truth_compare import IP_OFFSET

BIG = f"echo 2000 > {T}/buffer_size_kb"
# The busiest would be most of it.
MOST = f"echo 'fib ackermann even odd _raw_spin_* tree_* sort_* virt_to_page' > {T}/set_ftrace_notrace"
SAMPLE = "/lib/modules/trace_sample.ko"


def tracer(name, *more):
    return "\n".join((BIG, *more, f"echo {name} > {T}/current_tracer"))


def truth(sentence, run, least, **of):
    """The guest's entries are the machine's calls, and there are enough of them to mean it."""
    result = run.compare(lost=of.pop("lost", None), **of)
    left = ", ".join(f"{n} {why}" for why, n in sorted(result.left_out.items()))
    claim(f"{sentence}: {len(run.entries)} entries are what the machine saw",
          run.status == 0 and not result.wrong and len(run.entries) >= least,
          [f"status {run.status}, {len(result.wrong)} wrong; left out: {left or 'none'}",
           *result.wrong, run.errors.decode(), " ".join(run.command)])
    return result


def addresses(run, *names):
    return {c.pc + IP_OFFSET[run.layout] for c in run.calls if c.name in names}


# ---- what is compared ----

def everything(build, layout, harts, seed, fetch="stale"):
    for name, load, least in (("function", "work tree 1\nwork threads 1", 3000),
                              ("function_graph", "work threads 1\nps > /dev/null", 3000)):
        run = Run(build, layout, harts, tracer(name, MOST), load, seed, fetch=fetch)
        truth(f"{layout}, {name} of nearly all functions, {harts} harts, seed {seed}, {fetch} fetch", run,
              least)
        yield run


def programs(build, layout, harts, seed):
    for name in ("function", "function_graph"):
        run = Run(build, layout, harts, tracer(name, f"echo '*sched* do_* sys_* handle_* *fault* "
                                               f"copy_* wake_*' > {T}/set_ftrace_filter"),
                  "forktest > /dev/null\nsysbench pipe 10 > /dev/null\nhello | cat > /dev/null",
                  seed, initrd="initrd.cpio")
        truth(f"{layout}, {name} while programs run, {harts} harts, seed {seed}", run, 500)


def modules(build, layout, harts, seed):
    for name in ("function", "function_graph"):
        load = "\n".join((f"insmod {SAMPLE} depth=3", "cat /proc/trace_sample > /dev/null",
                          "rmmod trace_sample") * 2)
        run = Run(build, layout, harts,
                  tracer(name, f"echo 'sample_* seq_* *module*' > {T}/set_ftrace_filter",
                         f"echo '*:mod:trace_sample' >> {T}/set_ftrace_filter"),
                  load, seed, initrd=f"{layout}/modules.cpio")
        truth(f"{layout}, {name} of a module that comes and goes, {harts} harts, seed {seed}", run,
              30)
        seen = sum(c.kind == "function" and c.name.startswith("trace_sample:") for c in run.calls)
        claim("... whose own functions were among them", seen >= 15, [seen])


def one_task(build, layout, harts, seed):
    for name in ("function", "function_graph"):
        run = Run(build, layout, harts, tracer(name, f"echo 1 > {T}/set_ftrace_pid"),
                  "work tree 1\nwork threads 1", seed)
        truth(f"{layout}, {name} of one task, {harts} harts, seed {seed}", run, 1000, pids={1})


def part_of_the_graph(build, layout, harts, seed):
    run = Run(build, layout, harts,
              tracer("function_graph", f"echo tree_insert __kmalloc > {T}/set_graph_function",
                     f"echo 3 > {T}/max_graph_depth"), "work tree 2", seed)
    truth(f"{layout}, set_graph_function and max_graph_depth, {harts} harts, seed {seed}", run, 500,
          roots=addresses(run, "tree_insert", "__kmalloc"), max_depth=3)


def not_all_of_the_graph(build, layout, harts, seed):
    run = Run(build, layout, harts,
              tracer("function_graph", f"echo __kmalloc tree_free > {T}/set_graph_notrace"),
              "work tree 1", seed)
    result = truth(f"{layout}, set_graph_notrace, {harts} harts, seed {seed}", run, 1000,
                   notrace=addresses(run, "__kmalloc", "tree_free"))
    claim("... and has left out some", result.left_out["below set_graph_notrace"] > 100,
          [result.left_out])


def too_deep(build, layout, seed):
    """62 calls, one in the other."""
    run = Run(build, layout, 1,
              tracer("function_graph", f"echo deep_down > {T}/set_ftrace_filter"),
              "work deep 1", seed)
    result = truth(f"{layout}, function_graph of calls that are too deep", run, 100)
    claim("... of which no more than fifty have a place",
          result.left_out["no place on the stack of return addresses"] == 12, [result.left_out])


def too_little_room(build, layout, harts, seed):
    """The filter's functions run while tracing is on and at no other time, so each is accounted for."""
    run = Run(build, layout, harts, f"echo 'fib ackermann even odd' > {T}/set_ftrace_filter\n"
              f"echo 8 > {T}/buffer_size_kb\necho function > {T}/current_tracer",
              "work threads 1", seed)
    truth(f"{layout}, a buffer that is too small, {harts} harts, seed {seed}", run, 100,
          lost=run.lost, whole=True)
    claim("... which says how much it has lost, and says the same twice",
          sum(run.lost.values()) > 100 and run.lost == run.missed, [run.lost, run.missed])


def static(build, seed):
    """Its sites cannot be switched off, so each entry is read at the price of a hundred calls: a few must do."""
    for name in ("function", "function_graph"):
        run = Run(build, "static", 1, tracer(name), ":", seed)
        truth(f"static, {name}", run, 300)


# ---- liars ----

def middle(entries, chance, kind=None):
    """The place of an entry far from where tracing began and ended on its hart."""
    while True:
        at = chance.randrange(len(entries) // 5, len(entries) * 4 // 5)
        if kind is None or entries[at].kind == kind:
            return at


def drop(entries, at, chance):
    return entries[:at] + entries[at + 1:]


def double(entries, at, chance):
    return entries[:at] + entries[at:at + 1] + entries[at:]


def another(field, value):
    def change(entries, at, chance):
        entry = entries[at]._replace(**{field: value(entries[at], entries, chance)})
        return entries[:at] + [entry] + entries[at + 1:]
    change.__name__ = "another " + field
    return change


def swap(entries, at, chance):
    one, two = entries[at], entries[at + 1]
    if one.ip == two.ip or one.cpu != two.cpu or two.time - one.time < 200:
        return None
    return entries[:at] + [two._replace(time=one.time), one._replace(time=two.time)] + \
        entries[at + 2:]


def different(field):
    def value(entry, entries, chance):
        values = {getattr(e, field) for e in entries if e.kind == entry.kind}
        return chance.choice(sorted(values - {getattr(entry, field)}))
    return value


FUNCTION_LIES = (drop, double, swap, another("ip", different("ip")),
                 another("parent", different("parent")), another("cpu", different("cpu")),
                 another("pid", different("pid")),
                 another("time", lambda e, entries, chance: e.time + 5000))
GRAPH_LIES = (drop, double, another("ip", different("ip")), another("cpu", different("cpu")),
              another("pid", different("pid")), another("depth", lambda e, *_: e.depth + 1))
RETURN_LIES = (another("calltime", lambda e, *_: e.calltime - 5000),
               another("rettime", lambda e, *_: e.rettime + 5000))


def liars(run, lies, kind, chance, times):
    for lie in lies:
        found = tried = 0
        while tried < times:
            told = lie(run.entries, middle(run.entries, chance, kind), chance)
            if told is None:
                continue
            tried += 1
            result = run.compare_told(told)
            found += bool(result.wrong)
        claim(f"{run.layout}, an entry that is a lie ({lie.__name__}) is found", found == times,
              [f"{found} of {times}"])


# With one seed: the three forms of a site that differ most.
QUICK = ("mcount", "pfe8", "callops")


def main(build, seeds):
    for seed in seeds:
        kept = {}
        for i, layout in enumerate(DYNAMIC):
            if len(seeds) == 1 and layout not in QUICK:
                continue
            kept[layout] = list(everything(build, layout, (2, 4, 1)[(i + seed - 1) % 3], seed,
                                           ("stale", f"random:{seed}")[(i + seed - 1) % 2]))
        of = [DYNAMIC[(seed - 1 + i) % len(DYNAMIC)] for i in range(len(DYNAMIC))]
        programs(build, of[0], 2, seed)
        modules(build, of[1], 2, seed)
        if len(seeds) > 1:
            modules(build, of[2], 4, seed)
        one_task(build, of[2], 2, seed)
        part_of_the_graph(build, of[3], 2, seed)
        not_all_of_the_graph(build, of[0], 2, seed)
        too_deep(build, of[1], seed)
        too_little_room(build, of[4], 2, seed)
        static(build, seed)
        if seed == seeds[0]:
            function, graph = kept[DYNAMIC[(1 - seed) % 3]]  # two harts
            chance = random.Random(seed)
            liars(function, FUNCTION_LIES, None, chance, 2)
            liars(graph, GRAPH_LIES, "entry", chance, 2)
            liars(graph, RETURN_LIES, "return", chance, 2)
