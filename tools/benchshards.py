"""benchshards - a measurement of tools/bench in independent pieces, for other machines.

`bench --shards N --out DIR` writes DIR/plan.json and DIR/jobs, a shell command a line: for GNU
parallel (`parallel < DIR/jobs`) and for a Slurm array (`sed -n "${SLURM_ARRAY_TASK_ID}p" DIR/jobs |
sh`). Each writes DIR/shard-K.json. `bench --merge DIR` makes one answer of them, and refuses what
is missing, of another plan, or says two things of one run.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import sys
import typing

import benchcost
import benchjobs
import benchlib
import benchlinux
import benchpair
from benchlib import BAD_DATA, BenchError

SCHEMA, VERSION = "rvftrace-cost-plan", 2


@dataclasses.dataclass(frozen=True)
class Kind:
    """A measurement that can be cut into pieces: its classes, and what runs one job."""

    job: type
    inputs: type
    run: typing.Callable  # (inputs, job, progress) -> record, processor seconds
    is_record: typing.Callable


KINDS = {"cost": Kind(benchcost.Job, benchcost.Inputs, benchcost.run_job, benchcost.is_record),
         "pair": Kind(benchpair.Job, benchpair.Inputs, benchpair.run_job, benchpair.is_record),
         "linux": Kind(benchlinux.Job, benchlinux.Inputs, benchpair.run_job, benchpair.is_record)}


def identity(jobs, keys):
    """Of a plan: the same jobs on the same inputs."""
    return hashlib.sha256(json.dumps([[dataclasses.astuple(j), k] for j, k in zip(jobs, keys)])
                          .encode()).hexdigest()


def write_plan(directory, kind, jobs, inputs, options):
    """Writes the plan and the commands."""
    where = pathlib.Path(directory)
    where.mkdir(parents=True, exist_ok=True)
    keys = [inputs.key(job) for job in jobs]
    shards = options.shards
    plan = {"schema": SCHEMA, "version": VERSION, "kind": kind, "plan": identity(jobs, keys), "shards": shards,
            "scale": options.scale,
            "inputs": {field.name: getattr(inputs, field.name) for field in dataclasses.fields(inputs)},
            "jobs": [dataclasses.astuple(job) for job in jobs], "keys": keys}
    benchlib.write_json(str(where / "plan.json"), plan)
    program = shlex.join([os.path.abspath(sys.argv[0]), "--shard"])
    lines = [f"{program} {number} --out {shlex.quote(os.path.abspath(directory))}\n"
             for number in range(1, shards + 1)]
    benchlib.write_text(str(where / "jobs"), "".join(lines))


def read_plan(directory):
    path = str(pathlib.Path(directory) / "plan.json")
    plan = benchlib.read_json(path, f"written by {benchlib.bench()} --shards")
    try:
        plan["jobs"] = [KINDS[plan["kind"]].job(*job) for job in plan["jobs"]]
        sound = ((plan["schema"], plan["version"]) == (SCHEMA, VERSION)
                 and plan["plan"] == identity(plan["jobs"], plan["keys"]))
    except (KeyError, TypeError):
        sound = False
    if not sound:
        raise BenchError(BAD_DATA, f"{path}: not written by this version of {benchlib.bench()} --shards, or "
                                   "changed since; plan again")
    return plan


def shard_path(directory, number):
    return pathlib.Path(directory) / f"shard-{number}.json"


def run_shard(directory, number, cache_directory, progress, workers):
    """Runs each N-th job of the plan, from the number-th on."""
    plan = read_plan(directory)
    kind = KINDS[plan["kind"]]
    if not 1 <= number <= plan["shards"]:
        raise BenchError(benchlib.USAGE, f"--shard {number}: {directory} has shards 1 to "
                                         f"{plan['shards']}")
    inputs = kind.inputs(**plan["inputs"])
    mine = [(job, key) for i, (job, key) in enumerate(zip(plan["jobs"], plan["keys"]))
            if i % plan["shards"] == number - 1]
    for job, key in mine:
        if inputs.key(job) != key:
            raise BenchError(BAD_DATA, f"{directory}: emulator, kernel or core model are not those "
                                       f"of the plan any more ({job.title()}); plan again")
    results = benchjobs.run_all([job for job, _ in mine], inputs.key, lambda job: kind.run(inputs, job, progress),
                                benchjobs.Cache(cache_directory, kind.is_record), progress, workers)
    path, part = shard_path(directory, number), str(shard_path(directory, number)) + ".part"
    benchlib.write_json(part, {"plan": plan["plan"], "shard": number,
                               "runs": {key: results[job] for job, key in mine}})
    os.replace(part, path)


def read_shard(path, plan, number):
    shard = benchlib.read_json(str(path), f"written by {benchlib.bench()} --shard")
    if (not isinstance(shard, dict) or not isinstance(shard.get("runs"), dict)
            or not all(map(KINDS[plan["kind"]].is_record, shard["runs"].values()))):
        raise BenchError(BAD_DATA, f"{path}: not written by {benchlib.bench()} --shard")
    if shard.get("plan") != plan["plan"] or shard.get("shard") != number:
        raise BenchError(BAD_DATA, f"{path}: shard {shard.get('shard')} of another plan")
    return shard["runs"]


def merge(directory):
    """The plan, its inputs, and job -> record of all its jobs."""
    plan = read_plan(directory)
    missing = [n for n in range(1, plan["shards"] + 1) if not shard_path(directory, n).is_file()]
    if missing:
        raise BenchError(BAD_DATA, f"{directory}: missing: "
                         + ", ".join(shard_path(directory, n).name for n in missing)
                         + "; each is a line of jobs")
    runs = {}
    for number in range(1, plan["shards"] + 1):
        path = shard_path(directory, number)
        for key, record in read_shard(path, plan, number).items():
            if runs.setdefault(key, record) != record:
                raise BenchError(BAD_DATA, f"{path}: contradicts another shard about one run")
    absent = [job for job, key in zip(plan["jobs"], plan["keys"]) if key not in runs]
    if absent:
        raise BenchError(BAD_DATA, f"{directory}: {len(absent)} runs are in no shard, the first: "
                                   f"{absent[0].title()}")
    inputs = KINDS[plan["kind"]].inputs(**plan["inputs"])
    return plan, inputs, {job: runs[key] for job, key in zip(plan["jobs"], plan["keys"])}
