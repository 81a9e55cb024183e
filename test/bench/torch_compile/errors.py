"""How far results may be off.

What is right is the same model in fp64. What the precision itself costs is how far
the model is off in it without a compiler ("eager"). A compiler may be off by three
times that, and by a little more, since sums are in another order.

An error is told twice, because rounding is chaotic in a deep network: where a
value is nearly 0, a ReLU is open in one run and closed in another. That moves
single elements of a gradient far. Which ones, and of which tensor, is chance: of
resnet50, eager itself is off by 9 % of the largest number in a tensor where it is
off by 2 % if its input is rounded otherwise.

* The norm of a tensor's differences, over the tensor's norm. All elements count,
  so it hardly depends on chance. It is compared with eager's of the same tensor.
* The element that is farthest off, over the tensor's largest number. It is
  compared with eager's farthest of all tensors.
"""

LEAST = 1e-6  # numbers below count as this: gradients that are 0 but for rounding


def norm(got, right):
    """Norm of the differences over the norm."""
    scale = max(float(right.norm()), LEAST * right.numel() ** 0.5)
    return float((got - right).norm()) / scale


def farthest(got, right):
    """Largest difference over the largest number."""
    return float((got - right).abs().max()) / max(float(right.abs().max()), LEAST)


def worst(got, eager, right, bound):
    """{"off", "allowed", "tensor", "measure"} of the error that is the largest share of what is allowed.

    Each of the three is a list of tensors, in fp64; bound: what is allowed beyond what eager is off.
    """
    found = []
    for measure in (norm, farthest):
        own = [measure(e, r) for e, r in zip(eager, right, strict=True)]
        if measure is farthest:
            own = [max(own)] * len(own)
        for tensor, (g, r, o) in enumerate(zip(got, right, own, strict=True)):
            off, allowed = measure(g, r), 3 * o + bound
            share = off / allowed
            # What is no number is the worst of all.
            found.append((share if share == share else float("inf"), {"off": off, "allowed": allowed, "tensor": tensor,
                                                                     "measure": measure.__name__}))
    return max(found, key=lambda one: one[0])[1]
