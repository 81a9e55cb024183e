"""Copies of jit functions in other processes.

A jit function is pickled by its name, as functions are. One whose `fn` was taken out has no such name: torch's
compile workers do that to functions of modules that they made themselves. Its copy has no Python function, but its text and
what the compiler was told of the names in it, so it compiles and launches; a name that no compilation had asked for is
an error then.
"""

import collections
import re

from ..compiler import program_names

_LEFT_OUT = ("_python", "__wrapped__", "__annotations__", "_lines", "_scope", "_told", "device_caches", "signature")
_OF_THE_PROCESS = ("fn", "__globals__", "used_global_vals", "_hash_lock")


def reduce(function):
    """For pickle."""
    state = {name: value for name, value in vars(function).items() if name not in _LEFT_OUT}
    state.update(dict.fromkeys(_OF_THE_PROCESS), raw_src=function.raw_src, _key=function.cache_key)
    return _restore, (type(function), state, function._scope, dict(function._told))


def _restore(kind, state, scope, told):
    here = collections.defaultdict(lambda: next(program_names._numbers))  # the number of a scope there -> its number here
    here[0] = 0

    def renumbered(answer):
        return answer and (*answer[:5], here[answer[5]])

    def question(kind, scope, text):
        if kind == "call":
            text = re.sub(r"\bscope\((\d+)\)", lambda found: f"scope({here[int(found[1])]})", text)
        return kind, here[scope], text

    copy = kind.__new__(kind)
    vars(copy).update(state)
    copy._python, copy._lines, copy._scope = None, [], here[scope]
    copy._told = {question(*asked): renumbered(answer) for asked, answer in told.items()}
    for number in filter(None, here.values()):
        program_names._functions[number] = copy
    copy._begin()
    return copy
