/*
 * keys.c - the two lists of keys. What the values mean is for the readers.
 */
#include "keys.h"

#include <stddef.h>

const char *const problem_yaml_keys[] = {
    "problem_format_version", "type", "type.*", "name", "name.*", "uuid", "version", "credits", "credits.*",
    "source", "source.*", "license", "rights_owner", "embargo_until", "limits.time_multipliers.ac_to_time_limit",
    "limits.time_multipliers.time_limit_to_tle", "limits.time_limit", "limits.time_resolution", "limits.memory",
    "limits.output", "limits.code", "limits.compilation_time", "limits.compilation_memory",
    "limits.validation_time", "limits.validation_memory", "limits.validation_output", "limits.validation_passes",
    "keywords.*", "languages", "languages.*", "allow_file_writing", "constants.*", NULL,
};

const char *const gpu_yaml_keys[] = {
    "cpu.time_limit", "sim.time_limit", "gpu_only.*", "ranked.*", "leagues.*", "device.must_be_used",
    "device.memory", "resident", "throughput", "cache", "peak.link", "peak.operations", "cpu.peak.link",
    "cpu.peak.operations", NULL,
};
