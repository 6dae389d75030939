/*
 * test_queue.c - which submissions get one hardware queue: test_queue BUILD {one|many} FILE.so ...
 *
 * What a file names decides (findings.h), and the box's environment carries it, on a GPU alone (box.h).
 */
#include <string.h>

#include "unit.h"
#include "verify/box/box.h"
#include "verify/judge/inspection.h"

static const char *queues(const struct box *box)
{
    static struct box_command command;

    box_compose(box, &command);
    for (size_t i = 0; i < command.variables; i++)
        if (strncmp(command.envp[i], "CUDA_DEVICE_MAX_CONNECTIONS=", 28) == 0)
            return command.envp[i] + 28;
    return "as usual";
}

int main(int argc, char **argv)
{
    struct box box = { .level = BOX_NAMESPACES, .runner = "runner", .submission = "so", .runtime = "libcudart.so.13",
                       .gpu_minor = 0, .gpu_uuid = "GPU-0" };

    for (int i = 2; i + 1 < argc; i += 2) {
        const bool one = strcmp(argv[i], "one") == 0;
        const struct options options = { 0 };
        struct findings file;
        struct error error;

        CHECK(inspection_run(argv[i + 1], argv[1], 0, &options, &file, &error), "%s", error.text);
        CHECK((file.many_streams != 0) == !one, "%s is said to have %s", argv[i + 1],
              one ? "many streams" : "one stream");
    }
    CHECK(strcmp(queues(&box), "as usual") == 0, "%s", queues(&box));
    box.one_queue = true;
    CHECK(strcmp(queues(&box), "1") == 0, "%s", queues(&box));
    box.gpu_minor = -1;
    CHECK(strcmp(queues(&box), "as usual") == 0, "without a GPU: %s", queues(&box));
    return unit_end();
}
