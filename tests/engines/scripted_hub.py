"""A Hub engine by a script: ``scripted_hub.py RECORD SCRIPT`` with SCRIPT a JSON object of commands and answers.

A command is the beginning of a line, the longest that fits counts; of several answers of one command the first is for
the first time, and the last for all times after it. An answer is a list of lines, or of ``exit N``, ``sleep``, ``flood``
(lines without end, until something comes in) and ``deaf`` (no signal but KILL ends it). What it is told goes to RECORD.
Runs without anything but Python.
"""

import json
import select
import signal
import sys
import time

START = {
    "hub": [['id name=scripted version=1.0 author="A. Nobody" country=NL', "wait"]],
    "init": [["ready"]],
    "quit": [["exit 0"]],
}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def flood() -> None:
    block = "info depth=3 score=0.10 nodes=77 time=0.01 pv=32-28\n" * 500 + "x" * 5000 + "\n"
    while not select.select([sys.stdin], [], [], 0)[0]:
        sys.stdout.write(block)
        sys.stdout.flush()


def act(word: str) -> None:
    if word.startswith("exit "):
        sys.stderr.write("these are my last words\n")
        sys.stderr.flush()
        sys.exit(int(word[5:]))
    elif word == "sleep":
        time.sleep(600)
    elif word == "flood":
        flood()
    elif word == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        say(word)


def main(record: str, script: str) -> None:
    answers = START | json.loads(script)
    times = dict.fromkeys(answers, 0)
    for word in (answers.get("start") or [[]])[0]:
        act(word)
    while line := sys.stdin.readline():
        with open(record, "a", encoding="utf-8") as file:
            file.write(line)
        fitting = [command for command in answers if line.startswith(command)]
        if fitting:
            command = max(fitting, key=len)
            given = answers[command]
            for word in given[min(times[command], len(given) - 1)]:
                act(word)
            times[command] += 1


main(*sys.argv[1:])
