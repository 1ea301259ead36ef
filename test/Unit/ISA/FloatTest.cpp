//===-- FloatTest.cpp
#include "Harness.h"
