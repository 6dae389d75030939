"""What bench_gpu.sh runs: bench_gpu.py SHAPES SEED NAME=DEVICE_USER.SO..."""
import ctypes
import math
import random
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

SAMPLES, MEASUREMENTS, CALLS = 64, 7, 3


def shapes_of(count, seed):
    """Shapes as bench_gpu.sh tells: (heads, length, dim, causal)."""
    draw = random.Random(seed)
    for _ in range(count):
        dim, causal = draw.choice((64, 128)), draw.choice((0, 1))
        length = min(16384, int(128 * 2 ** draw.uniform(0, 7)))
        elements = 2 ** draw.uniform(20, 26)
        yield max(1, min(8192, int(elements / (length * dim)))), length, dim, causal


def submission(path):
    """A function of (q, k, v, o, causal) that calls device_user()."""
    library = ctypes.CDLL(path)
    if hasattr(library, "device_user_setup"):
        library.device_user_setup()

    def call(q, k, v, o, causal):
        heads, length, dim = q.shape
        stream = torch.cuda.current_stream().cuda_stream
        library.device_user(*(ctypes.c_void_p(x.data_ptr()) for x in (q, k, v, o)), heads, length, dim, causal,
                            ctypes.c_void_p(stream))
    return call


def torch_kernel(backend):
    """The same by PyTorch."""
    def call(q, k, v, o, causal):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q[None], k[None], v[None], is_causal=bool(causal))
    return call


def error_of(q, k, v, o, causal, draw):
    """The largest error at SAMPLES rows over the tolerance of precision.h."""
    heads, length, dim = q.shape
    worst = 0.0
    for sample in range(SAMPLES):
        head = draw.randrange(heads)
        i = (0, length - 1, draw.randrange(length))[min(sample, 2)]
        keys = i + 1 if causal else length
        scores = k[head, :keys].double() @ q[head, i].double() / math.sqrt(dim)
        p = torch.softmax(scores, 0)
        terms = p[:, None] * v[head, :keys].double()
        truth, squares, absolute = terms.sum(0), (terms * terms).sum(0), terms.abs().sum(0)
        allowed = 2**-8 * (2.25 * truth.abs() + 4 * squares.sqrt()) + 2**-16 * absolute + 2**-120
        ratio = ((o[head, i].double() - truth).abs() / allowed).max().item()
        worst = max(worst, ratio if ratio == ratio else math.inf)
    return worst


def microseconds(call, flush):
    """One measurement."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    torch.cuda._sleep(2000000)  # so that all calls are in the queue when the first one starts
    begin.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / CALLS


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    kernels = {name: submission(path) for name, path in (word.split("=", 1) for word in sys.argv[3:])}
    ours = list(kernels)
    kernels["cuDNN"] = torch_kernel(SDPBackend.CUDNN_ATTENTION)
    kernels["flash"] = torch_kernel(SDPBackend.FLASH_ATTENTION)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    ratios, wrong = {name: [] for name in kernels}, False
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    print(f"{'heads':>5} {'length':>6} {'dim':>3} {'causal':>6}"
          + "".join(f" {name + ' us':>22}" for name in kernels) + f" {'TFLOP/s':>8} {'error':>6} {'ratio':>6}")
    for heads, length, dim, causal in shapes_of(count, seed):
        draw = random.Random(f"{seed} {heads} {length}")
        torch.manual_seed(draw.randrange(2**31))
        q, k, v = (torch.randn(heads, length, dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        o = torch.empty_like(q)
        error, times = 0.0, {name: [] for name in kernels}
        for name in ours:
            o.fill_(math.nan)
            kernels[name](q, k, v, o, causal)
            torch.cuda.synchronize()
            error = max(error, error_of(q, k, v, o, causal, draw))
        for measurement in range(MEASUREMENTS + 1):
            for name, kernel in kernels.items():
                taken = microseconds(lambda: kernel(q, k, v, o, causal), flush)
                if measurement > 0:
                    times[name].append(taken)
        median = {name: sorted(taken)[MEASUREMENTS // 2] for name, taken in times.items()}
        pairs = heads * (length * (length + 1) / 2 if causal else length * length)
        for name in kernels:
            ratios[name].append(median["cuDNN"] / median[name])
        wrong |= not error <= 1
        print(f"{heads:5} {length:6} {dim:3} {causal:6}" + "".join(f" {median[name]:22.1f}" for name in kernels)
              + f" {4 * pairs * dim / median[ours[0]] / 1e6:8.0f} {error:6.2f} {ratios[ours[0]][-1]:6.3f}", flush=True)
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name}: cuDNN's time / its own: geometric mean {mean:.3f}, least {min(values):.3f}, "
              f"most {max(values):.3f}, {len(values)} shapes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
