"""Models for the table of torch.compile: families of timm, transformers and torchvision, with random weights; a block of torch.

FAMILIES: name -> function of no arguments that gives (model, inputs, loss). The
model is on the CPU, in fp32, without dropout. inputs(size) makes keyword or
positional arguments, as a tuple of (args, kwargs); size: images or sequences of
a batch. loss(output) is a number to go back from. Each is small enough to be
compiled in seconds, and has the layers of the real one.
"""

import functools
import importlib.util


class Family:
    def __init__(self, source, build, sizes, only_batch=False):
        """sizes: batches, the first for all rows, all for dynamic shapes.

        only_batch: with dynamic shapes the batch alone is dynamic. Of some models torch itself
        does not end to trace unknown heights and widths, whatever the backend.
        """
        self.source, self.build, self.sizes, self.only_batch = source, build, sizes, only_batch

    def make(self):
        """build(), without what would hide errors or differ from call to call."""
        model, inputs, loss = self.build()
        for module in model.modules():
            if type(module).__name__ == "StochasticDepth":
                module.p = 0.0
        for parameter in model.parameters():
            if parameter.ndim > 1 and not parameter.any():  # heads that training begins with
                parameter.data.normal_(0, 0.02)
        return model, inputs, loss

    def is_there(self):
        return importlib.util.find_spec(self.source) is not None


def _weighed(tensor):
    """A mean of squares with other weights everywhere: unweighed, that of what was normalised is a constant.

    All terms are positive, so that the loss is as exact as its terms: a sum that nearly cancels is not.
    """
    import torch

    return (tensor.float().square() * torch.linspace(0.5, 1.5, tensor.numel(), device=tensor.device).view(tensor.shape)).mean()


def sum_depthwise(model):
    """Lets convolutions of single channels add shifted images: exact, and quick in every precision."""
    import torch

    for module in model.modules():
        single = isinstance(module, torch.nn.Conv2d) and 1 < module.groups == module.in_channels == module.out_channels
        if single and not isinstance(module.padding, str) and module.padding_mode == "zeros":
            module.forward = functools.partial(_sum_of_shifted, module)


def _sum_of_shifted(conv, images):
    import torch

    high, wide = conv.padding
    images = torch.nn.functional.pad(images, (wide, wide, high, high))
    rows, columns = ((images.shape[2 + axis] - conv.dilation[axis] * (conv.kernel_size[axis] - 1) - 1) // conv.stride[axis]
                     for axis in range(2))
    made = 0 if conv.bias is None else conv.bias[:, None, None]
    for i in range(conv.kernel_size[0]):
        for j in range(conv.kernel_size[1]):
            top, left = i * conv.dilation[0], j * conv.dilation[1]
            part = images[:, :, top:top + rows * conv.stride[0] + 1:conv.stride[0], left:left + columns * conv.stride[1] + 1:conv.stride[1]]
            made = made + conv.weight[:, 0, i, j, None, None] * part
    return made


def _images(model, side):
    import torch

    def inputs(batch):
        generator = torch.Generator().manual_seed(batch)
        return (torch.randn(batch, 3, side, side, generator=generator),), {}

    return model, inputs, _weighed


def _torchvision(name, side, only_batch=False, **arguments):
    def build():
        import torchvision

        return _images(getattr(torchvision.models, name)(**arguments), side)

    return Family("torchvision", build, [16, 12, 24], only_batch)


def _timm(name, side, **arguments):
    def build():
        import timm

        return _images(timm.create_model(name, pretrained=False, **arguments), side)

    return Family("timm", build, [16, 12, 24])


def _tokens(vocabulary, length):
    import torch

    def inputs(batch):
        generator = torch.Generator().manual_seed(batch)
        return torch.randint(0, vocabulary, (batch, length), generator=generator)

    return inputs


def _logits(output):
    return _weighed(output.logits)


def _transformers(kind, config, length, sizes=(8, 6, 12), **settings):
    """A model for causal or masked language, whose output has logits."""
    def build():
        import transformers

        configuration = getattr(transformers, config)(**settings)
        model = getattr(transformers, kind)(configuration)
        tokens = _tokens(configuration.vocab_size, length)
        return model, lambda batch: ((), {"input_ids": tokens(batch), "use_cache": False} if "Bert" not in kind else
                                     {"input_ids": tokens(batch)}), _logits

    return Family("transformers", build, list(sizes))


def _t5():
    import transformers

    configuration = transformers.T5Config(vocab_size=8192, d_model=256, d_kv=64, d_ff=1024, num_layers=3, num_heads=4, dropout_rate=0.0)
    tokens = _tokens(8192, 128)
    return transformers.T5ForConditionalGeneration(configuration), lambda batch: ((), {
        "input_ids": tokens(batch), "decoder_input_ids": tokens(batch), "use_cache": False}), _logits


def _whisper():
    import torch
    import transformers

    configuration = transformers.WhisperConfig(
        vocab_size=8192, d_model=256, encoder_layers=3, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=1024, decoder_ffn_dim=1024, max_source_positions=200, num_mel_bins=80, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=1, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0)
    tokens = _tokens(8192, 64)

    def inputs(batch):
        sound = torch.randn(batch, 80, 400, generator=torch.Generator().manual_seed(batch))
        return (), {"input_features": sound, "decoder_input_ids": tokens(batch), "use_cache": False}

    return transformers.WhisperForConditionalGeneration(configuration), inputs, _logits


def _block():
    """A layer of a transformer, of torch alone."""
    import torch

    torch.backends.mha.set_fastpath_enabled(False)  # for inference it is one operation that no compiler looks into
    model = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True, activation="gelu")

    def inputs(batch):
        return (torch.randn(batch, 32, 64, generator=torch.Generator().manual_seed(batch)),), {}

    return model, inputs, _weighed


_SMALL = {"hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 8192}

FAMILIES = {
    "block": Family("torch", _block, [8, 6, 12]),
    "resnet50": _torchvision("resnet50", 128),
    "mobilenet_v3": _torchvision("mobilenet_v3_large", 128, dropout=0.0),
    "swin": _torchvision("swin_t", 128, only_batch=True),
    "vit": _timm("vit_small_patch16_224", 128, img_size=128, depth=6),
    "convnext": _timm("convnext_atto", 128),
    "mixer": _timm("mixer_s16_224", 224),
    "efficientnet": _timm("efficientnet_b0", 128),
    "bert": _transformers("BertForMaskedLM", "BertConfig", 128, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **_SMALL),
    "gpt2": _transformers("GPT2LMHeadModel", "GPT2Config", 256, n_embd=512, n_layer=4, n_head=8, vocab_size=8192, resid_pdrop=0.0,
                          embd_pdrop=0.0, attn_pdrop=0.0),
    "llama": _transformers("LlamaForCausalLM", "LlamaConfig", 256, num_key_value_heads=4, **_SMALL),
    "qwen3": _transformers("Qwen3ForCausalLM", "Qwen3Config", 256, num_key_value_heads=4, head_dim=64, **_SMALL),
    "t5": Family("transformers", _t5, [8, 6, 12]),
    "whisper": Family("transformers", _whisper, [8, 6, 12]),
}
