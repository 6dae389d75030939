/*
 * bfs.cu - breadth-first search over a random graph: level by level over all vertices until nothing changes, and by a
 * queue of the frontier which grows by atomics; connected components by minimum labels.
 */
#include <queue>

#include "check.h"

struct graph {
    int vertices;
    std::vector<int> starts; /* vertices + 1 */
    std::vector<int> edges;
};

static graph random_graph(int vertices, int edges)
{
    struct rng rng = {(uint64_t)vertices + edges};
    std::vector<std::vector<int>> lists(vertices);
    graph graph = {vertices, {0}, {}};

    for (int i = 0; i < edges; i++) {
        int a = rng_below(&rng, vertices), b = rng_below(&rng, vertices);

        if (rng_below(&rng, 3) == 0) /* some vertices have many neighbours */
            b %= 1 + vertices / 20;
        lists[a].push_back(b);
        lists[b].push_back(a);
    }
    for (const std::vector<int> &list : lists) {
        graph.edges.insert(graph.edges.end(), list.begin(), list.end());
        graph.starts.push_back((int)graph.edges.size());
    }
    return graph;
}

/* Distances are volatile: some threads look at them while others set them. */
__global__ void expand_level(const int *starts, const int *edges, volatile int *distances, int vertices, int level,
                             int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= vertices || distances[v] != level)
        return;
    for (int i = starts[v]; i < starts[v + 1]; i++)
        if (distances[edges[i]] < 0) {
            distances[edges[i]] = level + 1; /* several threads may write the same */
            *changed = 1;
        }
}

__global__ void expand_queue(const int *starts, const int *edges, int *distances, const int *queue, int count,
                             int *next, int *next_count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    int v = queue[i];

    for (int k = starts[v]; k < starts[v + 1]; k++)
        if (atomicCAS(&distances[edges[k]], -1, distances[v] + 1) == -1)
            next[atomicAdd(next_count, 1)] = edges[k];
}

__global__ void spread_labels(const int *starts, const int *edges, int *labels, int vertices, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= vertices)
        return;
    int mine = *(volatile int *)&labels[v];

    for (int i = starts[v]; i < starts[v + 1]; i++)
        if (atomicMin(&labels[edges[i]], mine) > mine)
            *changed = 1;
}

static void test(int vertices, int edge_count)
{
    graph graph = random_graph(vertices, edge_count);
    std::vector<int> want(vertices, -1), components(vertices, -1), distances(vertices, -1), labels(vertices);
    int blocks = (vertices + 63) / 64;

    for (int start = 0; start < vertices; start++) {
        std::queue<int> queue;

        labels[start] = start;
        if (components[start] >= 0)
            continue;
        queue.push(start);
        components[start] = start;
        if (start == 0)
            want[0] = 0;
        while (!queue.empty()) {
            int v = queue.front();

            queue.pop();
            for (int i = graph.starts[v]; i < graph.starts[v + 1]; i++) {
                int to = graph.edges[i];

                if (components[to] < 0) {
                    components[to] = start;
                    queue.push(to);
                    if (start == 0)
                        want[to] = want[v] + 1;
                }
            }
        }
    }
    distances[0] = 0;
    int *starts = device_copy(graph.starts);
    int *edges = device_copy(graph.edges);
    int *device_distances = device_copy(distances);
    int *device_labels = device_copy(labels);
    int *queues[2] = {device_zeros<int>(vertices), device_zeros<int>(vertices)};
    int *word = device_zeros<int>(1);

    for (int level = 0, changed = 1; changed; level++) {
        CUDA_CHECK(cudaMemset(word, 0, sizeof(int)));
        expand_level<<<blocks, 64>>>(starts, edges, device_distances, vertices, level, word);
        CHECK_KERNEL();
        changed = host_copy(word, 1)[0];
    }
    expect_device("by levels", want, device_distances);

    CUDA_CHECK(cudaMemcpy(device_distances, distances.data(), vertices * sizeof(int), cudaMemcpyHostToDevice));
    for (int turn = 0, count = 1; count > 0; turn = 1 - turn) {
        CUDA_CHECK(cudaMemset(word, 0, sizeof(int)));
        expand_queue<<<(count + 63) / 64, 64>>>(starts, edges, device_distances, queues[turn], count,
                                                queues[1 - turn], word);
        CHECK_KERNEL();
        count = host_copy(word, 1)[0];
    }
    expect_device("by queue", want, device_distances);

    for (int changed = 1; changed;) {
        CUDA_CHECK(cudaMemset(word, 0, sizeof(int)));
        spread_labels<<<blocks, 64>>>(starts, edges, device_labels, vertices, word);
        CHECK_KERNEL();
        changed = host_copy(word, 1)[0];
    }
    expect_device("components", components, device_labels);
    device_free(starts);
    device_free(edges);
    device_free(device_distances);
    device_free(device_labels);
    device_free(queues[0]);
    device_free(queues[1]);
    device_free(word);
}

int main(void)
{
    test(1, 0);
    test(100, 80);
    test(3000, 4000);
    return passed();
}
