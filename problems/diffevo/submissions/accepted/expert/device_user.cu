/*
 * expert - all generations in one kernel. Four shapes of it, by what is scarce:
 *
 *   many.cuh    many problems: a block each, population in shared memory. Instructions are scarce.
 *   warp.cuh    few, smallest ones: a population in the registers of one warp. Time is scarce.
 *   alone.cuh   few, small ones: a block each, an individual in the registers of a lane. Time is scarce.
 *   team.cuh    few, large ones: a team of up to 16 blocks each. Time is scarce, and work can be divided.
 *
 * team_for() in classes.cuh chooses. All of them use layout.cuh, random.cuh and values.cuh.
 *
 * What an evaluation cannot do without is its random numbers, 1 + D / 8 blocks of Philox, and five touches of a row of
 * D floats: three individuals that are mixed, the target, and the trial. Each of the three steps of a generation gets
 * the shape that suits it, a warp having 32 individuals:
 *
 *   1. draw      a lane an individual: r1, r2, r3 and a mask of the coordinates that are crossed, by Philox. Its
 *                counter has little in it that differs between lanes, so 2 1/2 of the 10 rounds are shared.
 *   2. make      a lane a quad (four coordinates) of some individual: a row is then read by lanes side by side,
 *                16 bytes each, from banks that do not collide, whatever individuals were drawn.
 *   3. evaluate  a lane an individual again, since sums are prescribed to be taken in order. Lanes side by side read
 *                the same quad of rows side by side: rows are laid out so that this does not collide either (place()).
 *
 * Nothing is copied at selection: every individual has two rows, the present one and one for the trial, and a table
 * says which is the present one. The table is kept twice, for this generation and the next, so that one barrier a
 * generation is enough. The mode open is the same, with more attempts.
 *
 * Populations too large for shared memory (about D > 70) lie in global memory, laid out in the same way: rows are read
 * as whole sectors there. Problems are sorted into classes by the shared memory they need, a launch each, so that
 * small ones are not kept to the few blocks a multiprocessor that large ones allow.
 */
#include "classes.cuh"

/* Bytes, rounded up so that what follows is aligned. */
static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* The grids of all classes. Returns how many bytes of global memory their populations take. */
static size_t plan_grids(work works[CLASSES])
{
    size_t room = 0;

    for (int k = 0; k < CLASSES; k++) {
        work &w = works[k];
        int resident = 0;

        w.grid = (int)w.order.size();
        if (is_team(k) && is_global(k) && w.grid > 0)
            w.grid = std::min(w.grid, std::max(1, device.processors / (int)w.together.blocks));
        if (!is_team(k) && is_global(k) && w.grid > 0) { /* no more blocks than there are populations in memory */
            CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_of(k), w.threads, w.shared));
            w.grid = std::min(w.grid, resident * device.processors);
        }
        w.memory = room;
        room += is_global(k) ? aligned(w.room) * w.grid : 0;
    }
    return room;
}

static void launch_team(int k, const work &w, const diffevo_problem *problems, const int *order, const float *data,
                        char *memory, diffevo_result *results, float *best_x)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = { w.together.blocks, 1, 1 };
    config.gridDim = dim3(w.grid * w.together.blocks);
    config.blockDim = dim3(w.threads);
    config.dynamicSmemBytes = w.shared;
    config.stream = device.streams[k];
    config.attrs = &cluster;
    config.numAttrs = w.together.blocks > 1;
    CALL(cudaLaunchKernelEx(&config, team_kernel_of(k), problems, order, (int)w.order.size(), w.together, data,
                            memory, aligned(w.room), results, best_x));
}

/* Where things are in the buffer on the device: the input, the output, the populations. Offsets in bytes. */
struct places {
    size_t problems, order, data, input_end; /* an input without its data, then the data */
    size_t results, x, output_end;
    size_t populations, total;
};

static places find_places(const diffevo_problem *problems, int count, size_t orders, size_t room)
{
    size_t data_count = 0, x_count = 0;
    places at = {};

    for (int n = 0; n < count; n++) {
        const diffevo_problem &p = problems[n];
        size_t end = p.shift + (size_t)p.shifts * p.dimension;

        if (p.rotation != DIFFEVO_NO_ROTATION)
            end = std::max(end, p.rotation + (size_t)p.dimension * p.dimension);
        data_count = std::max(data_count, end);
        x_count += p.dimension;
    }
    at.order = aligned(count * sizeof *problems);
    at.data = at.order + aligned(orders * sizeof(int));
    at.input_end = at.data + data_count * sizeof(float);
    at.results = aligned(at.input_end);
    at.x = at.results + aligned(count * sizeof(diffevo_result));
    at.output_end = at.x + x_count * sizeof(float);
    at.populations = aligned(at.output_end);
    at.total = at.populations + room;
    return at;
}

/* Makes room on the device, and page-locked on the host for what is copied together. */
static void make_room(const places &at)
{
    const size_t staged = std::max(at.data, at.output_end - at.results) + STAGED;

    if (at.total > device.size) {
        CALL(cudaFree(device.buffer));
        CALL(cudaMalloc(&device.buffer, at.total));
        device.size = at.total;
    }
    if (staged > device.staging_size) {
        CALL(cudaFreeHost(device.staging));
        CALL(cudaMallocHost(&device.staging, staged));
        device.staging_size = staged;
    }
}

/* A copy costs about 8 us, however small: short inputs go in one, and results and vectors come back in one. */
static void copy_in(const places &at, const diffevo_problem *problems, int count, const std::vector<int> &order,
                    const float *data, cudaStream_t stream)
{
    const size_t bytes = at.input_end - at.data;
    const bool one = bytes <= STAGED;

    std::memcpy(device.staging, problems, count * sizeof *problems);
    std::memcpy(device.staging + at.order, order.data(), order.size() * sizeof(int));
    if (one)
        std::memcpy(device.staging + at.data, data, bytes);
    else
        CALL(cudaMemcpyAsync(device.buffer + at.data, data, bytes, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyAsync(device.buffer, device.staging, one ? at.input_end : at.data, cudaMemcpyHostToDevice,
                         stream));
}

static void copy_out(const places &at, int mode, int count, diffevo_result *results, float *best_x,
                     cudaStream_t stream)
{
    CALL(cudaMemcpyAsync(device.staging, device.buffer + at.results, at.output_end - at.results,
                         cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    std::memcpy(best_x, device.staging + (at.x - at.results), at.output_end - at.x);
    if (mode != DIFFEVO_OPEN)
        std::memcpy(results, device.staging, count * sizeof(diffevo_result));
}

static void launch(int k, const work &w, int mode, const places &at, const int *order, int *taken)
{
    char *b = device.buffer;
    const diffevo_problem *problems = reinterpret_cast<diffevo_problem *>(b);
    const float *data = reinterpret_cast<float *>(b + at.data);
    diffevo_result *results = reinterpret_cast<diffevo_result *>(b + at.results);
    float *best_x = reinterpret_cast<float *>(b + at.x);
    char *memory = b + at.populations + w.memory;

    if (is_team(k))
        launch_team(k, w, problems, order, data, memory, results, best_x);
    else
        kernel_of(k)<<<w.grid, w.threads, w.shared, device.streams[k]>>>(
            problems, order, (int)w.order.size(), taken, data, memory, aligned(w.room),
            mode == DIFFEVO_OPEN ? STARTS : 1, mode == DIFFEVO_OPEN ? AIM : 1.0f, results, best_x);
    CALL(cudaGetLastError());
}

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    work works[CLASSES];
    std::vector<int> order;
    int used = 0, first_used = 0, first = 0;

    prepare();
    sort_into_classes(works, mode, problems, count);
    const size_t room = plan_grids(works);

    for (int k = CLASSES - 1; k >= 0; k--)
        if (works[k].grid > 0) {
            first_used = k;
            used++;
        }
    for (const work &w : works)
        order.insert(order.end(), w.order.begin(), w.order.end());
    for (const work &w : works) /* behind it, how many problems each class has taken: so many blocks, each one */
        order.push_back(w.grid);

    const places at = find_places(problems, count, order.size(), room);
    cudaStream_t stream = device.streams[first_used]; /* also of the copies */

    make_room(at);
    copy_in(at, problems, count, order, data, stream);
    if (used > 1)
        CALL(cudaStreamSynchronize(stream));

    int *device_order = reinterpret_cast<int *>(device.buffer + at.order);

    for (int k = 0; k < CLASSES; k++) {
        if (works[k].grid > 0)
            launch(k, works[k], mode, at, device_order + first, device_order + count + k);
        first += (int)works[k].order.size();
    }
    if (used > 1)
        CALL(cudaDeviceSynchronize());
    copy_out(at, mode, count, results, best_x, stream);
}
