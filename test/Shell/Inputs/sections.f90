! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module sections
contains
  subroutine show(part)
    integer, intent(in) :: part(:,:)
    integer :: low(-2:1), i
    do i = -2, 1
      low(i) = i * 10
    end do
    print *, part(1, 1), low(-2)
  end subroutine
end module
program main
  use sections
  integer :: whole(4, 2), i, j
  do j = 1, 2
    do i = 1, 4
      whole(i, j) = i * 10 + j
    end do
  end do
  call show(whole(1:4:2, :))
end program
