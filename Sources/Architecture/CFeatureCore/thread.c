#include "CFeatureCore.h"

_Thread_local uint64_t storehub_unobserved = 0;
_Thread_local void *storehub_turn = 0;
_Thread_local void *storehub_places = 0;
_Thread_local void *storehub_surroundings = 0;
