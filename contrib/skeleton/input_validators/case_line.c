/*
 * case_line.c - input validator: whether standard input is a valid case: KIND COUNT [seed=S], in one line.
 * Exit code 42 for valid, 43 for not.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char text[256];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    regmatch_t part[3];
    regex_t regex;
    long count;

    text[size] = '\0';
    if (regcomp(&regex, "^(random|negative) ([1-9][0-9]{0,8})( seed=[0-9]{1,9})?\n$", REG_EXTENDED) != 0)
        return 1;
    if (!feof(stdin) || strlen(text) != size || regexec(&regex, text, 3, part, 0) != 0)
        return 43;
    count = strtol(text + part[2].rm_so, NULL, 10);
    regfree(&regex);
    return count <= 1 << 24 ? 42 : 43;
}
