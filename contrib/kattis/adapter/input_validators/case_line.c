/*
 * case_line.c - is a line of data/ one of the problem adapted: file STEM room=BYTES
 *
 * Exit codes: 42 valid, 43 not. Whether there is such a file the generator says.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char line[1024] = "", stem[240], more;
    unsigned long room;

    if (!fgets(line, sizeof line, stdin) || getchar() != EOF || line[strcspn(line, "\n")] != '\n' ||
        sscanf(line, "file %239s room=%lu %c", stem, &room, &more) != 2 || room < 1 || room > 1ul << 30)
        return 43;
    for (const char *c = stem; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.-/", *c))
            return 43;
    return stem[0] == '/' || strstr(stem, "..") ? 43 : 42;
}
