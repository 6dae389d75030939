#!/bin/bash
# Compares softmax with PyTorch and with a copy, on a GPU: bench_softmax.sh [SEED [COUNT [SUBMISSION]]]
#
# Draws COUNT shapes by SEED, rows from 1 to 65,536 and columns from 16 to 131,072, log-uniform, of either type, and
# half as many whose data are at least three times the L2 cache. For each: the results of rows with elements up to
# 10,000 and minus infinity are compared with float64 by the problem's rule; then the submission (accepted/expert.cu),
# torch.softmax and a copy of as many bytes are timed in turn, each as a CUDA graph of calls on different matrices, so
# that data larger than the cache are not in it. It prints one row per shape: medians in microseconds. It needs PyTorch:
# PYTHON=... names another python3.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 3 ] || usage 'bench_softmax.sh [SEED [COUNT [SUBMISSION]]]'
seed=${1:-1} count=${2:-40} submission=${3:-$root/problems/softmax/submissions/accepted/expert.cu}
[[ $seed$count =~ ^[0-9]+$ ]] || usage 'bench_softmax.sh [SEED [COUNT [SUBMISSION]]]'
python=${PYTHON:-python3}
"$python" -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null ||
    fail "$python has no PyTorch that sees a GPU: name one that has by PYTHON=..."
library=$(mktemp --suffix=.so)
trap 'rm -f "$library"' EXIT
nvcc=$(toolkit_make -s print-nvcc 2> /dev/null) || nvcc=
"${nvcc:-nvcc}" -std=c++17 -O3 -arch=native -cudart shared -Xcompiler -fPIC -shared -I"$root/problems/softmax/include" \
    -o "$library" "$submission" || fail "'$submission' cannot be built"
"$python" - "$library" "$seed" "$count" <<'EOF'
import ctypes, math, random, sys
import torch

ELEMENTS, L2 = 1 << 28, 50e6
library = ctypes.CDLL(sys.argv[1])
seed, count = int(sys.argv[2]), int(sys.argv[3])
library.device_user.argtypes = [ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_int] * 3 + [ctypes.c_void_p]
if hasattr(library, 'device_user_setup'):
    library.device_user_setup()


def ours(x, y):
    library.device_user(x.data_ptr(), y.data_ptr(), x.shape[0], x.shape[1], int(x.dtype == torch.bfloat16),
                        torch.cuda.current_stream().cuda_stream)


def draw(stream, large):
    while True:
        rows = round(math.exp(stream.uniform(0, math.log(65536))))
        columns = round(math.exp(stream.uniform(math.log(16), math.log(131072))))
        kind = stream.choice([torch.float32, torch.bfloat16])
        size = rows * columns * (2 if kind == torch.bfloat16 else 4)
        if rows * columns <= ELEMENTS and (not large or 2 * size > 3 * L2):
            return rows, columns, kind


def rounded(v):
    """To the 8 significant bits of bfloat16."""
    bits = v.view(torch.int64)
    return ((bits + ((1 << 44) - 1) + (bits >> 45 & 1)) & ~((1 << 45) - 1)).view(torch.float64)


def is_right(rows, columns, kind):
    rows = max(1, min(rows, 4000000 // columns))
    x = (torch.rand(rows, columns, device='cuda') - .5) * torch.rand(rows, 1, device='cuda') ** 4 * 20000
    x[torch.rand(rows, columns, device='cuda') < .2] = -math.inf
    x[::7, : columns // 2] = -math.inf
    x = x.to(kind)
    y = torch.full_like(x, 7)
    ours(x, y)
    torch.cuda.synchronize()
    d = x.double()
    d = d - d.max(1, keepdim=True).values
    right = torch.exp(d)
    right = right / right.sum(1, keepdim=True)
    roundings = 4 * math.sqrt(columns) + 3 * math.ceil(math.log2(columns)) + 16
    allowed = torch.where(d.isinf(), 0., (roundings + 4 * d.abs()) * 2. ** -24 * right + 2. ** -126)
    low, high = right - allowed, right + allowed
    if kind == torch.bfloat16:
        low, high = rounded(low), rounded(high)
    y = y.double()
    return bool(torch.where(right.isnan(), y.isnan(), (y >= low) & (y <= high)).all())


def times(calls, repeats=9):
    """Microseconds a call of each, in graphs of all of its calls; medians, measured in turn."""
    graphs, taken = [], [[] for _ in calls]
    for call, sets in calls:
        call(0)
        torch.cuda.synchronize()
        graphs.append(torch.cuda.CUDAGraph())
        with torch.cuda.graph(graphs[-1]):
            for i in range(sets):
                call(i)
        graphs[-1].replay()
    for _ in range(repeats):
        for graph, (_, sets), own in zip(graphs, calls, taken):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            own.append(start.elapsed_time(end) * 1000 / sets)
    return [sorted(own)[len(own) // 2] for own in taken]


def measure(rows, columns, kind):
    x = torch.randn(rows, columns, device='cuda').to(kind)
    sets = max(2, min(64, int(400e6 / (2 * x.nbytes)) + 1))
    xs, ys = [x.clone() for _ in range(sets)], [torch.empty_like(x) for _ in range(sets)]
    expert, theirs, copy = times([(lambda i: ours(xs[i], ys[i]), sets),
                                  (lambda i: torch.softmax(xs[i], -1), sets), (lambda i: ys[i].copy_(xs[i]), sets)])
    print('%6d %6d %-8s %10.2f %10.2f %10.2f %8.3f %8.3f %8.2f  %s' % (
        rows, columns, str(kind)[6:], expert, theirs, copy, theirs / expert, copy / expert,
        2 * x.nbytes / expert / 1e6, 'right' if is_right(rows, columns, kind) else 'WRONG'), flush=True)
    return theirs / expert, copy / expert


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


print(torch.cuda.get_device_name(), 'PyTorch', torch.__version__, 'seed', seed)
print('  rows columns type         expert      torch       copy  torch/e   copy/e     TB/s  results')
warm = torch.randn(8192, 8192, device='cuda')
for _ in range(300):
    warm @ warm
stream = random.Random(seed)
all_shapes = [measure(*draw(stream, False)) for _ in range(count)]
print('faster than PyTorch: %.3f, the geometric mean of %d' % (mean([a for a, _ in all_shapes]), count))
large = [measure(*draw(stream, True)) for _ in range(max(1, count // 2))]
ratios = sorted(b for _, b in large)
print('of the bandwidth of a copy: %.3f, the geometric mean of %d; median %.3f, least %.3f' % (
    mean(ratios), len(ratios), ratios[len(ratios) // 2], ratios[0]))
EOF
