/* Wrong: counts the places where the strings differ, and forgets that a shift costs two edits, not one a place. */
#include "device_user.h"

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    int common = lenStr1 < lenStr2 ? lenStr1 : lenStr2;
    unsigned int differ = (unsigned int)(lenStr1 + lenStr2 - 2 * common);

    for (int i = 0; i < common; i++)
        differ += str1[i] != str2[i];
    return differ;
}
