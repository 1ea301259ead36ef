! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program main
  implicit none
  integer :: i, n
  real(8) :: fixed(3), plane(2,3)
  integer, allocatable :: heap(:), none(:), grid(:,:)
  character(len=8) :: name
  logical :: flag
  n = 4
  allocate(heap(n), grid(2, 2))
  do i = 1, n
    heap(i) = i * i
  end do
  grid = reshape((/ 1, 2, 3, 4 /), (/ 2, 2 /))
  fixed = (/ 1.5d0, 2.5d0, 3.5d0 /)
  plane = reshape((/ 1d0, 2d0, 3d0, 4d0, 5d0, 6d0 /), (/ 2, 3 /))
  name = 'fortran'
  flag = .true.
  call show(heap, n)
  print *, i, n, name, plane(2,1), flag, allocated(none), grid(1,1) ! break in main
contains
  subroutine show(a, m)
    integer, intent(in) :: a(:), m
    integer :: total
    total = sum(a)
    print *, total, m ! break in show
  end subroutine
end program
