"""Cross entropy of logits against labels, with its gradient, two passes a row.

loss = logsumexp(x) - x[label] and d loss / dx = softmax(x) - onehot(label) for
each row of x (Goodfellow, Bengio and Courville, "Deep Learning", section
6.2.2.3). The first pass keeps a running maximum and a sum that is rescaled when
the maximum moves (Milakov and Gimelshein, "Online normalizer calculation for
softmax", 2018, algorithm 3); the second writes the gradient times `scale`. Rows
whose label is `ignored` have no loss and no gradient.

x and grad are [rows, cols] and may be the same tensor; labels and loss are [rows].

    tz run cross_entropy.py::cross_entropy_kernel --grid 33 --arg x=randn:f16[33,2003] \
        --arg labels="randint(0,2003):i64[33]" --arg loss=zeros:f32[33] --arg grad=zeros:f16[33,2003] \
        --arg stride=i32:2003 --arg n_cols=i32:2003 --arg ignored=i32:-100 --arg scale=f32:0.03125 \
        --constexpr BLOCK=512
"""

import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x, labels, loss, grad, stride, n_cols, ignored, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    x += row.to(tl.int64) * stride
    grad += row.to(tl.int64) * stride
    if label == ignored:
        tl.store(loss + row, 0.0)
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            tl.store(grad + cols, tl.zeros((BLOCK,), dtype=tl.float32), mask=cols < n_cols)
        return

    # Before the gradient, which may overwrite it.
    chosen = tl.load(x + label).to(tl.float32)
    top = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(v, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(v - new_top), axis=0)
        top = new_top
    log_sum = top + tl.log(total)
    tl.store(loss + row, log_sum - chosen)

    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        probability = tl.exp(v - log_sum)
        slope = tl.where(cols == label, probability - 1.0, probability)
        tl.store(grad + cols, slope * scale, mask=cols < n_cols)


def cross_entropy(x, labels, ignored=-100):
    """The mean loss over the rows that count, and its gradient."""
    import torch

    rows, cols = x.shape
    loss = torch.empty(rows, device=x.device, dtype=torch.float32)
    grad = torch.empty_like(x)
    count = (labels != ignored).sum().item()
    cross_entropy_kernel[(rows,)](
        x, labels, loss, grad, x.stride(0), cols, ignored, 1.0 / count, BLOCK=1024
    )
    return loss.sum() / count, grad


if __name__ == "__main__":
    import torch

    data = torch.randn(133, 32003, device="cuda", requires_grad=True)
    target = torch.randint(0, 32003, (133,), device="cuda")
    target[::7] = -100
    expected = torch.nn.functional.cross_entropy(data, target)
    expected.backward()
    got, gradient = cross_entropy(data.detach(), target)
    print("loss error", (got - expected).abs().item())
    print("gradient max error", (gradient - data.grad).abs().max().item())
