#include <stdio.h>

int FUNCTION(void);

int main(void) {
  printf("mask %x\n", FUNCTION());
  return 0;
}
