# Texts that are not Python, by what is wrong with them.

# ----- a colon, an expression, a bracket's end
import triton
@triton.jit
def first(x_ptr, n: tl.int32)
    return

def second(x_ptr):
    a = 1 +  
    return

# error@6:30: expected ':' after the 'def' line, found end of line
# error@10:14: expected an expression, found end of line

# ----- compound statements without their parts
if
    pass
if a
    pass
elif b:
    pass
if a:
    pass
elif b
    pass
while a
    pass
for i range(4):
    pass
for in range(4):
    pass
for i in range(4)
    pass
for f(x) in range(4):
    pass
try:
    pass
x = 1
try
    pass
except E as 3:
    pass
with open(a) as 3:
    pass
with open(a)
    pass
with (open(a) as f, open(b) g):
    pass

# error@17:3: expected an expression, found end of line
# error@19:5: expected ':' after 'if' condition, found end of line
# error@25:7: expected ':' after 'elif' condition, found end of line
# error@27:8: expected ':' after 'while' condition, found end of line
# error@29:7: expected 'in' after the loop variable, found name 'range'
# error@31:5: expected a loop variable, found 'in'
# error@33:18: expected ':' after the 'for' line, found end of line
# error@35:5: cannot assign to a call
# error@39:1: expected 'except' or 'finally' after the 'try' block, found name 'x'
# error@40:4: expected ':' after 'try', found end of line
# error@44:17: cannot assign to a constant
# error@46:13: expected ':' after the 'with' line, found end of line
# error@48:29: expected ')' to close the 'with' items, found name 'g'

# ----- a block is missing
def f(x):
return x
if x:
y = 1
while x:
y = 2
for i in x:
y = 3
class C:
y = 4

# error@67:1: expected an indented block after the 'def' line
# error@69:1: expected an indented block after 'if' condition
# error@71:1: expected an indented block after 'while' condition
# error@73:1: expected an indented block after the 'for' line
# error@75:1: expected an indented block after the 'class' line

# ----- definitions without their parts
def (x):
    pass
def f:
    pass
def f(x, 1):
    pass
def f(x, x):
    pass
def f(x=1, y):
    pass
class :
    pass
class C
    pass
async x = 1
@triton.jit
x = 1
@triton.jit def f(x):
    pass
lambda_ = lambda x y: x

# error@84:5: expected the function's name after 'def', found '('
# error@86:6: expected '(' after the function's name, found ':'
# error@88:10: expected a parameter's name, found number
# error@90:10: parameter 'x' appears twice
# note@90:7: the first is here
# error@92:12: parameter 'y' without default follows one with default
# error@94:7: expected the class's name after 'class', found ':'
# error@96:8: expected ':' after the 'class' line, found end of line
# error@98:7: expected 'def', 'for' or 'with' after 'async', found name 'x'
# error@100:1: expected 'def' or 'class' after the decorators, found name 'x'
# error@101:13: expected end of line after a decorator, found 'def'
# error@103:20: expected ':' after the parameters of lambda, found name 'y'

# ----- imports
import
import triton as
import triton as 3
from triton
from . import
from triton import (jit as)
from triton import (jit tl)
from triton import jit as
from 3 import jit

# error@119:7: expected a module's name, found end of line
# error@120:17: expected name after 'as', found end of line
# error@121:18: expected name after 'as', found number
# error@122:12: expected 'import' in a 'from' import, found end of line
# error@123:14: expected name after 'import', found end of line
# error@124:27: expected name after 'as', found ')'
# error@125:25: expected ')' to close the imported names, found name 'tl'
# error@126:26: expected name after 'as', found end of line
# error@127:6: expected a module's name, found number

# ----- targets that cannot be assigned
f(x) = 1
1 = x
x + 1 = 2
a == b = 3
(a, 1) = x
[a, f(b)] = x
x + 1 += 2
(a, b) += 1
for 1 in x:
    pass
global
global 3
x = [a for 1 in b]

# error@140:1: cannot assign to a call
# error@141:1: cannot assign to a constant
# error@142:1: cannot assign to an expression
# error@143:1: cannot assign to a comparison; '=' is assignment, '==' compares
# error@144:5: cannot assign to a constant
# error@145:5: cannot assign to a call
# error@146:1: augmented assignment needs a single target
# error@147:1: augmented assignment needs a single target
# error@148:5: cannot assign to a constant
# error@150:7: expected name after global or nonlocal, found end of line
# error@151:8: expected name after global or nonlocal, found number
# error@152:12: cannot assign to a constant

# ----- comparison and assignment
if x = 1:
    pass
y = f(x) z
while n = 2:
    pass
print(1) print(2)

# error@168:6: expected ':' after 'if' condition, found '='; '==' compares
# error@170:10: expected end of line, found name 'z'
# error@171:9: expected ':' after 'while' condition, found '='; '==' compares
# error@173:10: expected end of line, found name 'print'

# ----- argument lists
f(a=1, 2)
f(a b)
f(a, b=)

# error@181:8: positional argument follows keyword argument
# error@182:5: expected ')' to close the argument list, found name 'b'
# error@183:8: expected an expression, found ')'

# ----- displays and comprehensions
a = (1, 2 3)
b = [1, 2 3]
c = {1: 2, 3}
d = {1, 2 3}
e = [x for]
f = [x for x of y]
g = [x for x in y z]
h = a.3
i = a.
j = 1 if a
k = x if y else
l = a[1 2]
m = not

# error@190:11: expected ')' to close '(', found number
# error@191:11: expected ']' to close '[', found number
# error@192:13: expected ':' after a key of the dictionary, found '}'
# error@193:11: expected '}' to close '{', found number
# error@194:11: expected an expression, found ']'
# error@195:14: expected 'in' in a comprehension, found name 'of'
# error@196:19: expected ']' to close the comprehension, found name 'z'
# error@197:6: expected end of line, found number
# error@198:7: expected an attribute's name after '.', found end of line
# error@199:11: expected 'else' in a conditional expression, found end of line
# error@200:16: expected an expression, found end of line
# error@201:9: expected ']' to close the subscript, found number
# error@202:8: expected an expression, found end of line

# ----- numbers
a = 0x
b = 12abc
c = 09
d = 0b12
e = 0o18
f = 1__0
g = 1e

# error@219:5: number has no digits after its prefix
# error@220:5: invalid number '12abc'
# error@224:5: invalid number '1__0'
# error@225:5: invalid number '1e'

# ----- numbers with a wrong prefix or digit
c = 09
d = 0b12
e = 0o18

# error@233:5: number has leading zeros; octal is written 0o9
# error@234:5: digit '2' in a number of base 2
# error@235:5: digit '8' in a number of base 8

# ----- texts
a = "\x1"
b = "\u12"
c = "\N{dash"
d = b"x" "y"
e = f"{a"
f = f"{}"
g = f"}"
h = f"{a b}"
i = f"{a!r:>{b}"

# error@242:5: invalid escape sequence in string
# error@243:5: invalid escape sequence in string
# error@244:5: invalid escape sequence in string
# error@245:10: bytes and text strings cannot be joined
# error@246:5: '{' in f-string is never closed
# error@247:8: f-string has an empty expression
# error@248:5: single '}' in f-string; write '}}'
# error@249:10: expected the end of the f-string's expression, found name 'b'
# error@250:5: '{' in f-string is never closed

# ----- a text without its end
a = "one
b = 'two
c = 3

# error@263:5: string is not closed at the end of the line
# error@264:5: string is not closed at the end of the line

# ----- a long text without its end
a = """one
b = 2

# error@271:5: triple-quoted string is never closed

# ----- brackets that do not match
a = (1, 2]
b = 3)
c = [1

# error@277:10: ']' does not match; expected ')'
# note@277:5: to close this bracket
# error@278:6: ')' has no opening bracket
# error@279:5: bracket is never closed

# ----- a bracket that is never closed
a = f(1,
def g(x):
    return x

# error@287:6: bracket is never closed

# ----- characters that Python does not have
a = b ? c
d = $e
f = a ! b

# error@294:7: unexpected character '?'
# error@295:5: unexpected character '$'
# error@296:7: unexpected character '!'

# ----- indentation
def f(x):
    a = 1
      b = 2
    return a

# error@305:7: unexpected indentation

# ----- indentation that fits no block
def f(x):
        a = 1
    b = 2
    return a

# error@313:5: indentation does not match any enclosing block: 4 columns, the block has 0

# ----- an indentation of two widths
if a:
    if b:
        c = 1
      d = 2

# error@322:7: indentation does not match any enclosing block: 6 columns, the block has 4
