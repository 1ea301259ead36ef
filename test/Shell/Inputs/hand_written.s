# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
	.text
	.globl	doubled
	.type	doubled,@function
doubled:
	movdqu	(%rdi),%xmm0
	paddd	%xmm0,%xmm0
	movdqu	%xmm0,(%rdi)
	add	$16,%rdi
	dec	%rsi
	jnz	doubled
	ret
	.size	doubled,.-doubled
