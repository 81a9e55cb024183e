"""What as_cuda.py promises: python/tests/test_race.py runs it."""

import os
import sys

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import as_cuda  # noqa: E402

as_cuda.install()


@torch.library.custom_op("race::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return torch.full_like(x, 2, device="cuda") * torch.empty(x.shape, device=x.device).copy_(x)


class Held(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return twice(x)

    @staticmethod
    def backward(context, gradient):
        assert gradient.is_cuda and gradient.device == torch.device("cuda:0")
        return torch.zeros(gradient.shape, device=gradient.device)


x = torch.ones(3, device="cuda", requires_grad=True)
Held.apply(x).sum().backward()
made = [x, x.grad, torch.empty(2, device=torch.device("cuda", 0)), torch.zeros(2, device=0), x.new_empty(2, device="cuda"), x.to("cuda"),
        torch.nn.Linear(2, 3, device="cuda").weight, torch.rand(2, pin_memory=True), torch.tensor([1], device="cuda:0")]
assert all(one.is_cuda and one.device.type == "cuda" and one.get_device() == 0 for one in made)
assert x.cuda() is x and twice(x).tolist() == [2, 2, 2] and torch.empty(1, device="meta").device.type == "meta"
