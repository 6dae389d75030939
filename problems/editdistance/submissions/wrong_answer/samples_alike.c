/*
 * Wrong: takes strings of the same length for equal if every sixteenth character of them is.
 *
 * fails in: secret/05-close
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    unsigned int *row, corner, above, answer; /* [lenStr2 + 1] */
    int alike = lenStr1 == lenStr2 && lenStr1 > 128;

    for (int i = 0; alike && i < lenStr1; i += 16)
        alike = str1[i] == str2[i];
    if (alike)
        return 0;
    row = malloc(((size_t)lenStr2 + 1) * sizeof *row);
    if (!row)
        abort();
    for (int j = 0; j <= lenStr2; j++)
        row[j] = (unsigned int)j;
    for (int i = 1; i <= lenStr1; i++) {
        corner = row[0];
        row[0] = (unsigned int)i;
        for (int j = 1; j <= lenStr2; j++) {
            above = row[j];
            corner += str1[i - 1] != str2[j - 1];
            row[j] = above + 1 < corner ? above + 1 : corner;
            row[j] = row[j - 1] + 1 < row[j] ? row[j - 1] + 1 : row[j];
            corner = above;
        }
    }
    answer = row[lenStr2];
    free(row);
    return answer;
}
