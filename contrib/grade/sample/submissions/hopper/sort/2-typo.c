#include "device_user.h"

int device_user(this does not compile
