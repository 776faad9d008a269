#!/usr/bin/env python3
"""Prints what go test prints, from the output of go test -json, and fails on a skip that
ci/skips.txt does not list for this machine.

    go test -json ./... | python3 ci/skips.py
"""
import ctypes
import functools
import json
import os
import platform
import re
import shutil
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "skips.txt")
MODULE = "skills/"
# What the sandbox needs of bubblewrap; the tests ask for the same.
PROBE = ("--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-net"
         " --ro-bind / / --dev /dev --proc /proc -- /bin/true").split()


@functools.lru_cache(None)
def bubblewrap():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # ci/bubblewrap.sh puts it there where it is not installed.
    fetched = os.path.join(cache, "skills-test-bubblewrap/usr/bin/bwrap")
    program = shutil.which("bwrap") or fetched
    try:
        return subprocess.run([program] + PROBE, capture_output=True).returncode == 0
    except OSError:
        return False


@functools.lru_cache(None)
def landlock():
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        return False
    create, ask_version, least = 444, 1, 3
    return ctypes.CDLL(None).syscall(create, None, 0, ask_version) >= least


def holds(condition):
    """Whether this machine meets a condition of the list."""
    known = {
        "always": lambda: True,
        "root": lambda: os.geteuid() == 0,
        "not root": lambda: os.geteuid() != 0,
        "not linux": lambda: platform.system() != "Linux",
        "not amd64": lambda: platform.machine() != "x86_64",
        "no children": lambda: not os.path.exists("/proc/self/task/%d/children" % os.getpid()),
        "no bubblewrap": lambda: not bubblewrap(),
        "no landlock": lambda: not landlock(),
        "no sandbox": lambda: not bubblewrap() and not landlock(),
    }
    if condition in known:
        return known[condition]()
    word, program = condition.split()
    if word != "no":
        sys.exit("ci/skips.txt: unknown condition %r" % condition)
    return shutil.which(program) is None


def listed():
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                condition, pattern = line.rstrip("\n").split("\t")
                yield condition, re.compile(pattern)


def reason(output):
    """The text of t.Skip, without the place that go test writes before it."""
    places = re.findall(r"^ *\S+\.go:\d+: (.*)$", "".join(output), re.M)
    return places[-1] if places else "".join(output).strip()


def main():
    expected, unexpected = list(listed()), []
    output = {}  # by package and test
    failed = False
    for line in sys.stdin:
        try:
            event = json.loads(line)
        except ValueError:  # what the go command says by itself
            print(line, end="", flush=True)
            continue
        action, test = event["Action"], event.get("Test")
        key = (event.get("Package"), test)
        if action == "build-output" or action == "output" and test is None:
            if event["Output"] != "PASS\n":
                print(event["Output"], end="", flush=True)
        elif action == "output":
            output.setdefault(key, []).append(event["Output"])
        elif test is not None and action in ("pass", "fail", "skip"):
            said = output.pop(key, [])
            if action == "fail":
                print("".join(said), end="", flush=True)
            elif action == "skip":
                package = key[0][len(MODULE):]
                skip = "%s %s %s" % (package, test, reason(said))
                if not any(pattern.search(skip) and holds(condition) for condition, pattern in expected):
                    unexpected.append(skip)
        failed = failed or action == "fail"
    for said in output.values():  # of tests that never ended
        print("".join(said), end="")
    for skip in unexpected:
        print("unexpected skip: " + skip, file=sys.stderr)
    if unexpected:
        print("hint: install what the tests need, or list the skip in ci/skips.txt with its condition", file=sys.stderr)
    sys.exit(1 if failed or unexpected else 0)


if __name__ == "__main__":
    main()
