/*
 * empty.c - a submission that does nothing: ranking_calibrate() times it. Its answers are wrong, and not looked at.
 */
void device_user(void);

void device_user(void) {}
