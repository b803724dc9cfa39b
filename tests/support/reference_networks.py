"""Shared by the scripts that make tiny networks of the transformers library and record their answers."""
import torch


def widen(model, seed):
    """Standard initialisation is so small that a wrong bias or norm would hide below the tolerance."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 1:
                parameter.add_(0.2 * noise)
            else:
                parameter.copy_(0.3 * noise)
    return model


def numbers(tensor):
    return [float(f"{x:.8g}") for x in tensor.flatten().tolist()]
