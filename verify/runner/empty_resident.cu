/*
 * empty_resident.cu - the same for a problem whose data are resident: one empty kernel, on a stream, as submissions
 * start theirs. The runner waits for its end.
 */
static cudaStream_t stream;

static __global__ void nothing(void) {}

extern "C" void device_user_setup(void) { cudaStreamCreate(&stream); }
extern "C" void device_user(void) { nothing<<<1, 1, 0, stream>>>(); }
