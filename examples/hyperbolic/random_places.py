"""Print the misses of a policy whose samples come from random places of its lists.

    random_places.py POLICY TRACE CAPACITY… [PARAM=VALUE…]

It runs the policy in the interpreter, and shuffles all lists before each request for pages. So the first folios of a
list are a random sample of it, which no kernel could give. The simulator's misses tell what a real list loses by that.
"""

import sys
from pathlib import Path
from random import Random

from cpol.cli.policy import compile_file
from cpol.compiler.policies import resolve
from cpol.runtime.machine.interp import Folio, Machine


class Shuffled(Machine):
    source = Random(1)

    def evict(self, wanted: int) -> list[Folio]:
        for folios in self.lists.values():
            self.source.shuffle(folios)
        return super().evict(wanted)


name, trace, *rest = sys.argv[1:]
policy = compile_file(resolve(name)).policy
params = {param: int(value) for param, _, value in (word.partition("=") for word in rest) if value}
keys = [int(line) for line in Path(trace).read_text(encoding="utf-8").split()]
for capacity in (int(word) for word in rest if "=" not in word):
    machine = Shuffled(policy, capacity, params)
    misses = 0
    for key in keys:
        misses += (0, key) not in machine.cache
        machine.request(0, key)
    print(f"{policy.name} {capacity:,} pages: {misses:,} misses of {len(keys):,}")
