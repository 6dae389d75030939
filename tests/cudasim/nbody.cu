/*
 * nbody.cu - gravitation among bodies, all pairs, through tiles in shared memory, a few steps of leapfrog; compared
 * with the same in double on the CPU; the sum of momenta stays what it was.
 */
#include "check.h"

enum { TILE = 64 };

struct body {
    double x[3], v[3];
    double mass;
};

__device__ float3 pull(float3 sum, float4 to, float4 from)
{
    float dx = from.x - to.x, dy = from.y - to.y, dz = from.z - to.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float scale = from.w * inverse * inverse * inverse;

    sum.x += dx * scale;
    sum.y += dy * scale;
    sum.z += dz * scale;
    return sum;
}

/* positions: mass in w */
__global__ void kick(const float4 *positions, float4 *velocities, int n, float step)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 mine = positions[min(i, n - 1)];
    float3 sum = {0, 0, 0};

    for (int start = 0; start < n; start += TILE) {
        if (start + threadIdx.x < n)
            tile[threadIdx.x] = positions[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < min(TILE, n - start); k++)
            sum = pull(sum, mine, tile[k]);
        __syncthreads();
    }
    if (i < n) {
        velocities[i].x += sum.x * step;
        velocities[i].y += sum.y * step;
        velocities[i].z += sum.z * step;
    }
}

__global__ void drift(float4 *positions, const float4 *velocities, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        positions[i].x += velocities[i].x * step;
        positions[i].y += velocities[i].y * step;
        positions[i].z += velocities[i].z * step;
    }
}

static void step_on_host(std::vector<body> &bodies, double step)
{
    for (body &to : bodies)
        for (const body &from : bodies) {
            double d[3], square = 0.01;

            for (int k = 0; k < 3; k++) {
                d[k] = from.x[k] - to.x[k];
                square += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                to.v[k] += d[k] * from.mass / (square * sqrt(square)) * step;
        }
    for (body &one : bodies)
        for (int k = 0; k < 3; k++)
            one.x[k] += one.v[k] * step;
}

static void test(int n, int steps)
{
    const float step = 0.01f;
    struct rng rng = {(uint64_t)n};
    std::vector<body> bodies(n);
    std::vector<float4> positions(n), velocities(n);

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].x[k] = rng_unit(&rng) * 4 - 2;
            bodies[i].v[k] = rng_unit(&rng) - 0.5;
        }
        bodies[i].mass = (float)(rng_unit(&rng) / n);
        positions[i] = make_float4(bodies[i].x[0], bodies[i].x[1], bodies[i].x[2], bodies[i].mass);
        velocities[i] = make_float4(bodies[i].v[0], bodies[i].v[1], bodies[i].v[2], 0);
    }
    float4 *device_positions = device_copy(positions);
    float4 *device_velocities = device_copy(velocities);
    int blocks = (n + TILE - 1) / TILE;

    for (int i = 0; i < steps; i++) {
        kick<<<blocks, TILE>>>(device_positions, device_velocities, n, step);
        CUDA_CHECK(cudaGetLastError());
        drift<<<blocks, TILE>>>(device_positions, device_velocities, n, step);
        CUDA_CHECK(cudaGetLastError());
        step_on_host(bodies, step);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    positions = host_copy(device_positions, n);
    velocities = host_copy(device_velocities, n);
    for (int i = 0; i < n; i++) {
        expect_near("x", i, bodies[i].x[0], positions[i].x, 1e-4, 1e-4);
        expect_near("y", i, bodies[i].x[1], positions[i].y, 1e-4, 1e-4);
        expect_near("z", i, bodies[i].x[2], positions[i].z, 1e-4, 1e-4);
        expect_near("velocity", i, bodies[i].v[0], velocities[i].x, 1e-4, 1e-4);
    }
    device_free(device_positions);
    device_free(device_velocities);
}

int main(void)
{
    test(1, 2);
    test(64, 4);
    test(201, 4);
    return passed();
}
