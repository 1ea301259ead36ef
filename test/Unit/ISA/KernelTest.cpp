//===-- KernelTest.cpp
#include "Harness.h"
