"""Prints tile IR whose text nests very deep, in the named way."""
import sys

n = 50000
kind = sys.argv[1]
attribute, argument, body = "1", "i1", ""
if kind == "attribute":
    attribute = "[" * n + "]" * n
elif kind == "region":
    body = "scf.if %n {\n" * n + "}\n" * n
elif kind == "type":
    argument = "tuple<" * n + "i1" + ">" * n
elif kind == "sign":
    attribute = "affine_map<(d0) -> (" + "-" * n + "d0)>"
elif kind == "harmless":
    attribute = "true"
    body = 'tile.print "' + "[" * 1000 + '\\"<" {isSigned = array<i1>}\n' + "// " + "(" * 1000 + "\n" + '// "\n'
print(f"tile.kernel @k(%n: {argument}) attributes {{tile.contract = {attribute}}} {{\n{body}tile.return\n}}")
