/* What a program without a C library begins with, so that a debugger has nothing else to read. */
int main(int, char **);
int printf(const char *format, ...) { return format[0]; }
int puts(const char *text) { return text[0]; }

__attribute__((naked, noreturn)) void _start(void) {
  __asm__("xorl %ebp, %ebp\n"
          "movl (%rsp), %edi\n"
          "leaq 8(%rsp), %rsi\n"
          "andq $-16, %rsp\n"
          "call main\n"
          "movl %eax, %edi\n"
          "movl $60, %eax\n"
          "syscall\n");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
