"""benchjobs - runs of the emulator, many at once, whose results stay until their inputs change, for `bench`.

A job is whatever has a title() and a `core'. What was interrupted goes on where it stopped; how long runs took is
kept, too, so that a plan can say how long the rest will take.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import threading

SECONDS_UNKNOWN = 5  # of a run, where none was seen yet
TIMES = "seconds"    # a file in the cache: a core and the processor seconds of a run, a line each


class Cache:
    """Results by key, a file each, complete or not there. is_record: whether a value has a result's form."""

    def __init__(self, directory, is_record):
        self.directory = pathlib.Path(directory)
        self.is_record = is_record

    def get(self, key):
        try:
            record = json.loads((self.directory / key).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return record if self.is_record(record) else None

    def put(self, key, record):
        self.directory.mkdir(parents=True, exist_ok=True)
        part = self.directory / f".{key}.{os.getpid()}.{threading.get_ident()}.part"
        part.write_text(json.dumps(record), encoding="utf-8")
        part.replace(self.directory / key)

    def took(self, core, seconds):
        """Notes the processor seconds of a run."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with open(self.directory / TIMES, "a", encoding="utf-8") as file:
            file.write(f"{core}\t{seconds:.3f}\n")

    def times(self):
        """Core -> the seconds of its runs."""
        found = {}
        try:
            lines = (self.directory / TIMES).read_text(encoding="utf-8").splitlines()
        except OSError:
            return found
        for line in lines:
            core, _, seconds = line.partition("\t")
            try:
                found.setdefault(core, []).append(float(seconds))
            except ValueError:
                pass  # a line that was cut off
        return found


def missing(jobs, key, cache):
    """The jobs that have no result yet."""
    return [job for job in jobs if cache.get(key(job)) is None]


def estimate(jobs, cache):
    """The processor seconds of all jobs, and whether that is by runs that were seen."""
    times = cache.times()
    seen = [s for of_core in times.values() for s in of_core]
    otherwise = math.fsum(seen) / len(seen) if seen else SECONDS_UNKNOWN
    return math.fsum(math.fsum(times[job.core]) / len(times[job.core]) if job.core in times else otherwise
                     for job in jobs), bool(seen)


def print_plan(jobs, key, cache, workers):
    """What is still to be run, and how long it will take."""
    rest = missing(jobs, key, cache)
    seconds, known = estimate(rest, cache)
    print(f"{len(jobs)} runs, {len(jobs) - len(rest)} of them kept from before; the other {len(rest)} take about "
          f"{seconds / 3600:.2f} hours of a processor, {seconds / 3600 / workers:.2f} hours with {workers} at once"
          + ("." if known else f" (a guess of {SECONDS_UNKNOWN} s a run: none was seen here yet)."))


def run_all(jobs, key, run, cache, progress, workers):
    """Job -> record. key(job): the hash of all that its result depends on; run(job) -> record, processor seconds."""
    results, todo = {}, []
    for job in jobs:
        record = cache.get(key(job))
        if record is None:
            todo.append(job)
        else:
            results[job] = record

    def one(job):
        record, seconds = run(job)
        cache.put(key(job), record)
        cache.took(job.core, seconds)
        return job, record

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(one, job) for job in todo]
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                job, record = future.result()
                results[job] = record
                progress.begin(f"{count} of {len(todo)} runs ({len(jobs) - len(todo)} kept from "
                               f"before): {job.title()}")
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return results
