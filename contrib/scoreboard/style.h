/*
 * style.h - style.css as a string, made by contrib/mk/85-scoreboard.mk.
 */
#ifndef SCOREBOARD_STYLE_H
#define SCOREBOARD_STYLE_H

extern const char scoreboard_style[];

#endif
