"""truth_compare.py - the guest's trace held against the machine's record of calls.

Each call through a site that was on has exactly one entry in the guest's
buffer: its function, its caller, its task, its hart, in its place among the
others and at a time when the tracer had the call in hand. What has none must
fall under one of the rules by which ftrace leaves calls out. There is no
tolerance: the machine knows to the cycle when the tracer was at work.
"""
import collections
import heapq

NS_PER_TICK = 100  # of the time register, which the clock reads
RETURN_DEPTH = 50  # FTRACE_RETFUNC_DEPTH

# A call out of a tracer is let through once (TRACE_CTX_TRANSITION), one out of that one's is not.
GUARDED_AT = 2

# What the guest calls the site: its offset from where the machine has it.
IP_OFFSET = {"static": 8, "mcount": 0, "pfe16": 0, "pfe8": 0, "atomic": 4, "callops": 4}

Rules = collections.namedtuple("Rules", "layout pids roots notrace max_depth lost whole")


def rules(layout, pids=None, roots=None, notrace=(), max_depth=0, lost=None, whole=False):
    """
    pids: set_ftrace_pid. roots, notrace: addresses of set_graph_function and set_graph_notrace.
    lost: by hart, how many the buffer says it has lost. whole: tracing was on for all of what the
    sites were on.
    """
    return Rules(layout, pids, roots, notrace, max_depth, lost or {}, whole)


class Job:
    """One thing to be recorded: the tracer's hand on a call, or on its return."""

    __slots__ = ("call", "slice", "entry")

    def __init__(self, call, part):
        self.call, self.slice, self.entry = call, part, None  # call None: a return's, not known yet

    def harts(self):
        return {self.slice.hart, self.slice.end_hart}

    def may_be_at(self, ns):
        return self.slice.time * NS_PER_TICK <= ns <= self.slice.end_time * NS_PER_TICK


def tracers_around(call):
    """In how many tracers' hands its task was already, and interrupted ones among them."""
    count, around = 0, call.around
    while around:
        count += around.kind in ("tracer", "return")
        around = around.around
    return count


class Comparison:
    def __init__(self, calls, entries, of):
        self.rules, self.wrong, self.left_out = of, [], collections.Counter()
        offset = IP_OFFSET[of.layout]
        # Calls of _mcount before ftrace was there are nobody's, except where they stay.
        self.calls = [Job(c, c.tracer()) for c in calls if c.kind == "function" and c.tracer() and
                      (c.state == "on" or of.layout == "static")]
        self.lose()
        self.returns = [Job(None, r) for r in calls if r.kind == "return"]
        self.entries = entries
        self.wanted = {"fn": collections.defaultdict(list), "return": collections.defaultdict(list)}
        self.wanted["entry"] = collections.defaultdict(list)
        for job in self.calls:
            ip = job.call.pc + offset
            self.wanted["fn"][ip, job.call.back].append(job)
            self.wanted["entry"][ip, None].append(job)
        for job in self.returns:
            for ip in {call.pc + offset for call in job.slice.of}:
                self.wanted["return"][ip, None].append(job)
        for jobs in self.wanted.values():
            for some in jobs.values():  # harts take turns, so the record's order is not that of time
                some.sort(key=lambda job: job.slice.time)
        self.task_pid, self.pids_of = {}, collections.defaultdict(list)
        self.hooked = {}  # call -> its entry

    def say(self, what, *about):
        self.wrong.append(what + "".join(f"\n    {one}" for one in about))

    def lose(self):
        """What the buffer says it has lost of a hart is the oldest; all the rest must be there."""
        for hart, number in self.rules.lost.items():
            jobs = [job for job in self.calls if job.slice.hart == hart]
            if len(jobs) < number:
                self.say(f"hart {hart}: {number} entries are lost, of {len(jobs)} calls")
            gone = set(jobs[:number])
            self.calls = [job for job in self.calls if job not in gone]
            if gone:
                self.left_out["lost by the buffer"] += len(gone)

    # ---- finding each entry's call ----

    def returned(self, job):
        """Of a chain of tail calls the one that is its turn, of those that were hooked."""
        hooked = [call for call in job.slice.of if call in self.hooked]
        return hooked[job.slice.turn] if job.slice.turn < len(hooked) else None

    def fits(self, job, entry, least):
        """When the entry may have been made, by what the machine has seen; None: not for this."""
        part = job.slice
        if job.entry or entry.cpu not in job.harts() or not self.may_be(part.task, entry):
            return None
        if entry.kind == "return":
            job.call = self.returned(job)
            if job.call and job.call.pc + IP_OFFSET[self.rules.layout] != entry.ip:
                return None
        begin = part.cycle if part.hart == entry.cpu else least
        end = part.end_cycle if part.end_hart == entry.cpu else float("inf")
        if max(least, begin) > end:
            return None
        return max(least, begin), end

    def may_be(self, task, entry):
        """An idle task is its hart's; any other has a pid that nobody else has."""
        key = entry.pid or ("idle", entry.cpu)
        return self.task_pid.get(key, task) == task

    def match(self):
        """In the order of writing of each hart, all harts together in order of time."""
        by_cpu, least = collections.defaultdict(list), collections.Counter()
        for entry in self.entries:
            by_cpu[entry.cpu].append(entry)
        for entry in heapq.merge(*by_cpu.values(), key=lambda e: e.time):
            fitting = []
            for job in self.near(entry):
                fit = self.fits(job, entry, least[entry.cpu])
                if fit:
                    fitting.append((job, *fit))
            if not fitting:
                self.say("an entry that no call of the machine's record has made:", entry,
                         *self.similar(entry))
                continue
            job, least[entry.cpu], _ = self.choose(entry, fitting)
            self.settle(entry, job)

    def choose(self, entry, fitting):
        """
        Of several calls from the same place, one in the other's tracer: the one of
        the entry's depth that no guard may have left out; else the one that ends first.
        """
        def rank(fit):
            depths = self.depths_of(fit[0].call) if entry.kind == "entry" else ()
            return (tracers_around(fit[0].slice) >= GUARDED_AT,
                    entry.kind == "entry" and entry.depth not in depths, len(depths), fit[2])

        return fitting[0] if len(fitting) == 1 else min(fitting, key=rank)

    def settle(self, entry, job):
        job.entry = entry
        self.wanted[entry.kind][entry.ip, entry.parent].remove(job)
        self.task_pid.setdefault(entry.pid or ("idle", entry.cpu), job.slice.task)
        self.pids_of[job.slice.task].append(entry.pid)
        if entry.kind == "entry":
            self.hooked[job.call] = entry

    def near(self, entry):
        """What is still to be found of that function and caller at that moment, in order of time."""
        for job in self.wanted[entry.kind].get((entry.ip, entry.parent), ()):
            part = job.slice
            if part.time * NS_PER_TICK > entry.time:
                return
            if part.end_time * NS_PER_TICK >= entry.time:  # most have ended: calls that have no entry stay here
                yield job

    def similar(self, entry):
        """Calls of that function at that time, for whoever looks for the reason."""
        jobs = self.returns if entry.kind == "return" else self.calls
        return [job.slice for job in jobs if job.may_be_at(entry.time)][:3]

    # ---- what has no entry ----

    def window(self):
        """Tracing was on at least between these two places of the machine's record."""
        made = [job.slice for job in self.calls + self.returns if job.entry]
        if not made:
            return float("inf"), -1
        return min(part.ended for part in made), max(part.begun for part in made)

    def depths_of(self, call):
        """
        How many hooked calls of its task were open around it, at least and at most: an interrupt
        may come before or after the tracer has counted the call that it has in hand. Of a chain of
        tail calls that are coming back those that are to be next still count.
        """
        least = unsure = 0
        inner, around = call, call.around
        while around:
            if around.kind == "return":
                hooked = sum(call in self.hooked for call in around.of)
                least += max(hooked - around.turn - 1, 0)
            if around.kind in ("tracer", "return"):
                unsure += 1
            elif around in self.hooked and inner.kind != "tracer":
                least += 1
            inner, around = around, around.around
        return range(least, least + unsure + 1)

    def lineage(self, call):
        """The call and the functions that were open around it, as the guest calls their sites."""
        while call:
            if call.kind == "function":
                yield call, call.pc + IP_OFFSET[self.rules.layout]
            call = call.around

    def below_root(self, call):
        """Whether it is one of set_graph_function's, or called by one that was recorded."""
        return any(ip in self.rules.roots and (one is call or one in self.hooked)
                   for one, ip in self.lineage(call))

    def below_notrace(self, call):
        return any(ip in self.rules.notrace for _, ip in self.lineage(call))

    def excuse(self, job, graph):
        """By which rule ftrace left it out; None: by none."""
        call, known = job.call, {task: key for key, task in self.task_pid.items()}
        if tracers_around(call) >= GUARDED_AT:
            return "called by what the tracer called"
        if self.rules.pids is not None and known.get(call.task) not in self.rules.pids:
            return "of a task that is not traced"
        if graph and self.rules.roots is not None and not self.below_root(call):
            return "not below set_graph_function"
        if graph and self.below_notrace(call):
            return "below set_graph_notrace"
        if graph and self.rules.max_depth and self.depths_of(call)[-1] >= self.rules.max_depth:
            return "below max_graph_depth"
        if graph and self.depths_of(call)[-1] >= RETURN_DEPTH:
            return "no place on the stack of return addresses"
        return None

    def outside(self, job, window):
        return not self.rules.whole and (job.slice.begun < window[0] or
                                         job.slice.ended > window[1])

    def account_for(self, jobs, graph):
        """Every call without an entry: excused, or wrong."""
        window = self.window()
        for job in jobs:
            if job.entry:
                continue
            reason = self.excuse(job, graph)
            if reason:
                self.left_out[reason] += 1
            elif self.outside(job, window):
                self.left_out["while tracing was off"] += 1
            else:
                self.say("a call that has no entry:", job.call, job.slice)

    # ---- the graph ----

    def check_graph(self):
        window = self.window()
        for call, entry in self.hooked.items():
            if entry.depth not in self.depths_of(call):
                self.say(f"depth {entry.depth}, but {self.depths_of(call)} hooked calls around:",
                         entry, call)
            if self.rules.max_depth and entry.depth >= self.rules.max_depth:
                self.say("recorded below max_graph_depth:", entry)
            if self.rules.roots is not None and not self.below_root(call):
                self.say("recorded outside of set_graph_function:", entry, call)
            if self.below_notrace(call):
                self.say("recorded below set_graph_notrace:", entry, call)
        for job in self.returns:
            self.check_return(job, window)

    def check_return(self, job, window):
        call, part, entry = self.returned(job), job.slice, job.entry
        if not entry:
            # Of what was hooked before tracing was on, or came back when it was off.
            if call and part.ended < window[1]:
                self.say("a return that has no entry:", call, part)
            return
        if not call:
            if min(one.begun for one in part.of) > window[0]:
                self.say("a return whose call was not recorded:", entry, *part.of)
            return
        called = self.hooked[call]
        if entry.depth != called.depth:
            self.say("a return at another depth than its call:", entry, called)
        if not Job(call, call.tracer()).may_be_at(entry.calltime):
            self.say("calltime is not in the call:", entry, call, call.tracer())
        if not job.may_be_at(entry.rettime):
            self.say("rettime is not in the return:", entry, part)

    def check_pids(self):
        """A task has a pid until it ends; its structure may be another's then."""
        for task, pids in self.pids_of.items():
            turns = [pid for i, pid in enumerate(pids) if i == 0 or pids[i - 1] != pid]
            if len(turns) != len(set(turns)):
                self.say(f"task {task:#x} changes its pid and back: {turns[:9]}")
        if self.rules.pids is not None:
            for entry in self.entries:
                if entry.pid not in self.rules.pids:
                    self.say("recorded, but not to be traced:", entry)

    def run(self):
        graph = any(e.kind != "fn" for e in self.entries)
        self.match()
        self.check_pids()
        self.account_for(self.calls, graph)
        if graph:
            self.check_graph()
        return self


def compare(calls, entries, of):
    """What is wrong, in words, and what was left out by which rule."""
    return Comparison(calls, entries, of).run()
