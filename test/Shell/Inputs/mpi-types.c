/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The debug information of requests that Open MPI's library has lost: its own headers have the layout. */
#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/pml/base/pml_base_request.h"

mca_pml_base_request_t *one_request;
