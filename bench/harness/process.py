"""A child that answers a line with a line of JSON."""
import json
import subprocess
import sys


class Conversation:
    def __init__(self, command, environment):
        self.child = subprocess.Popen([str(word) for word in command], env=environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.greeting = self._answer()

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return self._answer()

    def _answer(self):
        line = self.child.stdout.readline()
        if not line:
            sys.exit(f"bench: {self.child.args[0]} ended early")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.wait()


def say(text):
    print(text, file=sys.stderr, flush=True)
