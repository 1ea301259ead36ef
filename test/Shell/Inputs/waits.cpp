// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that wait for each other for ever, each in another call of MPI.
#include <mpi.h>
#include <unistd.h>

static int data[4];

static void receive(int from, int tag, MPI_Comm comm) {
  MPI_Status status;
  MPI_Recv(data, 4, MPI_INT, from, tag, comm, &status);
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  switch (rank) {
  case 0:
    MPI_Recv(data, 4, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // rank 0
    break;
  case 1:
    receive(rank - 1, size + 3, MPI_COMM_WORLD);
    break;
  case 2:
    MPI_Barrier(MPI_COMM_WORLD); // rank 2
    break;
  case 3:
    receive(MPI_ANY_SOURCE, MPI_ANY_TAG, pair);
    break;
  case 4:
    MPI_Sendrecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, data + 1, 1, MPI_INT, size - 4, 9, MPI_COMM_WORLD, // rank 4
                 MPI_STATUS_IGNORE);
    break;
  default:
    for (;;)
      sleep(1);
  }
  MPI_Finalize();
}
