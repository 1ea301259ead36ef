//===-- VectorTest.cpp
#include "Harness.h"
