// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that wait for messages that don't come.
#include <mpi.h>
#include <unistd.h>

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, data[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm pair;
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Request requests[3];
  if (rank == 0) {
    MPI_Irecv(data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data + 1, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &requests[1]); // small: done at once
    MPI_Irecv(data + 2, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); // all
  } else if (rank == 1) {
    static int large[1 << 20];
    MPI_Isend(large, 1 << 20, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); // one
  } else {
    for (;;)
      sleep(1);
  }
  MPI_Finalize();
}
