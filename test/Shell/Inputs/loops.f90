! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A vectorized loop of Fortran.
subroutine axpy(n, a, x, y)
  integer, intent(in) :: n
  real, intent(in) :: a, x(n)
  real, intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine
program main
  real :: x(1000), y(1000)
  x = 1.5; y = 2.0
  call axpy(1000, 3.0, x, y)
  print *, y(7)
end program
