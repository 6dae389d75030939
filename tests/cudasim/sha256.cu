/*
 * sha256.cu - SHA-256 and MD5, one message per thread, of lengths around a block's limits; a search for a nonce.
 * The CPU runs the same source; known digests guard both.
 */
#include <string>

#include "check.h"

struct digest {
    unsigned words[8]; /* SHA-256: as usually printed; MD5: four, in its own byte order */
};

static const unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ unsigned device_constants[64];
__constant__ unsigned device_sines[64];
static unsigned sines[64]; /* MD5's: 2^32 |sin(i + 1)| */

__host__ __device__ static inline unsigned right(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

/* byte i of the padded message */
__host__ __device__ static unsigned padded(const unsigned char *text, int length, int total, int i, bool big_endian)
{
    if (i < length)
        return text[i];
    if (i == length)
        return 0x80;
    int from_end = big_endian ? total - 1 - i : i - (total - 8);

    if (i < total - 8 || from_end > 3)
        return 0;
    return (unsigned)length * 8 >> 8 * from_end & 255;
}

__host__ __device__ static digest sha256(const unsigned char *text, int length, const unsigned *k)
{
    digest d = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    int total = (length + 9 + 63) / 64 * 64;
    unsigned w[64];

    for (int start = 0; start < total; start += 64) {
        for (int i = 0; i < 16; i++) {
            w[i] = 0;
            for (int b = 0; b < 4; b++)
                w[i] = w[i] << 8 | padded(text, length, total, start + 4 * i + b, true);
        }
        for (int i = 16; i < 64; i++) {
            unsigned s0 = right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3;
            unsigned s1 = right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10;

            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        unsigned v[8];

        for (int i = 0; i < 8; i++)
            v[i] = d.words[i];
        for (int i = 0; i < 64; i++) {
            unsigned s1 = right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25);
            unsigned s0 = right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22);
            unsigned t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            unsigned t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

            for (int j = 7; j > 0; j--)
                v[j] = v[j - 1];
            v[4] += t1;
            v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            d.words[i] += v[i];
    }
    return d;
}

__host__ __device__ static digest md5(const unsigned char *text, int length, const unsigned *k)
{
    digest d = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    int total = (length + 9 + 63) / 64 * 64;

    for (int start = 0; start < total; start += 64) {
        unsigned m[16], a = d.words[0], b = d.words[1], c = d.words[2], e = d.words[3];

        for (int i = 0; i < 16; i++) {
            m[i] = 0;
            for (int byte = 3; byte >= 0; byte--)
                m[i] = m[i] << 8 | padded(text, length, total, start + 4 * i + byte, false);
        }
        for (int i = 0; i < 64; i++) {
            const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
            unsigned f;
            int g;

            switch (i / 16) {
            case 0:
                f = (b & c) | (~b & e);
                g = i;
                break;
            case 1:
                f = (e & b) | (~e & c);
                g = 5 * i + 1;
                break;
            case 2:
                f = b ^ c ^ e;
                g = 3 * i + 5;
                break;
            default:
                f = c ^ (b | ~e);
                g = 7 * i;
                break;
            }
            f += a + k[i] + m[g % 16];
            a = e;
            e = c;
            c = b;
            b += right(f, 32 - turns[i / 16][i % 4]);
        }
        d.words[0] += a;
        d.words[1] += b;
        d.words[2] += c;
        d.words[3] += e;
    }
    return d;
}

/* out: SHA-256 and MD5 of each */
__global__ void hash_all(const unsigned char *texts, const int *starts, digest *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    out[2 * i] = sha256(texts + starts[i], starts[i + 1] - starts[i], device_constants);
    out[2 * i + 1] = md5(texts + starts[i], starts[i + 1] - starts[i], device_sines);
}

/* The lowest nonce whose digest starts with 8 zero bits. */
__global__ void search(unsigned *best)
{
    unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char text[8] = {'n', 'o', 'n', 'c', 'e', (unsigned char)nonce, (unsigned char)(nonce >> 8), 0};

    if (sha256(text, 7, device_constants).words[0] < 1u << 24)
        atomicMin(best, nonce);
}

static std::string in_hex(const unsigned *words, int count)
{
    std::string text;
    char hex[9];

    for (int i = 0; i < count; i++) {
        snprintf(hex, sizeof hex, "%08x", words[i]);
        text += hex;
    }
    return text;
}

int main(void)
{
    struct rng rng = {1};
    std::vector<unsigned char> texts = {'a', 'b', 'c'};
    std::vector<int> starts = {0, 0, 3};
    std::vector<digest> want;

    for (int i = 0; i < 64; i++)
        sines[i] = (unsigned)(long long)(4294967296.0 * std::fabs(std::sin(i + 1.0)));
    for (int length : {1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 200, 20, 30, 40}) {
        for (int i = 0; i < length; i++)
            texts.push_back(rng_next(&rng));
        starts.push_back((int)texts.size());
    }
    int count = (int)starts.size() - 1;

    for (int i = 0; i < count; i++) {
        want.push_back(sha256(&texts[0] + starts[i], starts[i + 1] - starts[i], round_constants));
        want.push_back(md5(&texts[0] + starts[i], starts[i + 1] - starts[i], sines));
    }
    EXPECT(in_hex(want[0].words, 8) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT(in_hex(want[2].words, 8) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT(in_hex(want[1].words, 4) == "d98c1dd404b2008f980980e97e42f8ec"); /* d41d8cd9..., bytes swapped in words */
    CUDA_CHECK(cudaMemcpyToSymbol(device_constants, round_constants, sizeof round_constants));
    CUDA_CHECK(cudaMemcpyToSymbol(device_sines, sines, sizeof sines));
    unsigned char *device_texts = device_copy(texts);
    int *device_starts = device_copy(starts);
    digest *out = device_zeros<digest>(2 * count);
    unsigned *best = device_copy(std::vector<unsigned>{0xffffffffu});

    hash_all<<<1, 32>>>(device_texts, device_starts, out, count);
    CHECK_KERNEL();
    expect_bits("digests", want, host_copy(out, 2 * count));
    search<<<8, 128>>>(best);
    CHECK_KERNEL();
    unsigned lowest = 0;

    for (;; lowest++) {
        unsigned char text[8] = {'n', 'o', 'n', 'c', 'e', (unsigned char)lowest, (unsigned char)(lowest >> 8), 0};

        if (sha256(text, 7, round_constants).words[0] < 1u << 24)
            break;
    }
    EXPECT(lowest < 1024);
    expect_device("nonce", std::vector<unsigned>{lowest}, best);
    device_free(device_texts);
    device_free(device_starts);
    device_free(out);
    device_free(best);
    return passed();
}
