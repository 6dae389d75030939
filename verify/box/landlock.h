/*
 * landlock.h - the kernel's Landlock: a process gives up every file but those that it names, before it runs a program.
 *
 * It needs no namespace, no mount and no privilege, so it works in containers where bubblewrap cannot make a box.
 * main_landlock.c calls it, and the host calls it to find the kernel's version.
 */
#ifndef VERIFY_LANDLOCK_H
#define VERIFY_LANDLOCK_H

#include <stdbool.h>

/* What is allowed with a file, or with all that is below a folder. */
enum landlock_use {
    LANDLOCK_READ,   /* to be read, listed and executed */
    LANDLOCK_WRITE,  /* and to be written, made and removed */
    LANDLOCK_DEVICE, /* to be read and written, and its ioctl() */
};

/* The version of Landlock that the kernel has, from 1 on; 0 for none. */
int landlock_version(void);

/* A new list of what is allowed, a descriptor; -1 with errno. Nothing is given up yet. */
int landlock_rules(void);

/* Adds a file or folder. False with errno. */
bool landlock_allow(int rules, const char *path, enum landlock_use use);

/*
 * Gives up, for this process and everything it starts: every file that is not in the list, TCP, and, if the kernel can,
 * signals and abstract sockets to processes outside. The process can trace or read nobody outside. It also gives up all
 * capabilities, and new ones from executed files. False with errno.
 */
bool landlock_restrict(int rules);

/* Who owns nothing: the user and group that root gives way to. */
enum { LANDLOCK_USER = 65534 };

/*
 * Whether this process may become that user, and that user can read the paths (NULL-terminated): a folder above
 * them may be root's alone.
 */
bool landlock_user_reads(const char *const *paths);

/* Becomes that user. False with errno. */
bool landlock_become_user(void);

#endif
