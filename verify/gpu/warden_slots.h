/*
 * warden_slots.h - the warden's part of a call whose data are resident on the GPU.
 *
 * It brings inputs and outputs by the copy engines, which work beside another context's kernels and do not stop them.
 * It releases a call by a word in memory, at the moment at which the input is there, and says when that was. All
 * functions set reply->ok, and words where it is 0.
 */
#ifndef VERIFY_WARDEN_SLOTS_H
#define VERIFY_WARDEN_SLOTS_H

extern "C" {
#include "warden.h"
}

/* Maps the page, whose descriptor it closes. */
void slots_page(int page, struct warden_message *reply);

/*
 * Maps and page-locks the staging memory, whose descriptor it closes, and makes the slots. Their descriptor goes to
 * *exported, which the caller closes.
 */
void slots_make(const struct warden_message *message, int staging, int *exported, struct warden_message *reply);

void slots_poison(const struct warden_message *message, struct warden_message *reply);
void slots_decoy(const struct warden_message *message, struct warden_message *reply);
void slots_call(const struct warden_message *message, struct warden_message *reply);
void slots_take(const struct warden_message *message, struct warden_message *reply);
void slots_forget(struct warden_message *reply);

#endif
