// SPDX-License-Identifier: Apache-2.0
/* The border is C11: this file is compiled as such, and used from abi_test.cc. */
#include "conoscope/sdk/abi.h"

#include <stddef.h>

_Static_assert(offsetof(cono_tensor, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_array, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_text, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_param, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_head, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_model_call, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_explainer_model, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_arrays, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_params, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_host, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_sink, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_dataset, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_model, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_forward, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_forward_gradient, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_intervene, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_intervene_told, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_explainer, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_metric, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_calls, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_scores, struct_size) == 0, "size first");
_Static_assert(offsetof(cono_plugin, struct_size) == 0, "size first");

/* What plugins of border 2.0 were compiled with. A change here needs a new major version. */
const size_t conoscope_test_sizes[] = {sizeof(cono_tensor),    sizeof(cono_array),
                                       sizeof(cono_text),      sizeof(cono_arrays),
                                       sizeof(cono_param),     sizeof(cono_params),
                                       sizeof(cono_host),      sizeof(cono_sink),
                                       sizeof(cono_dataset),   sizeof(cono_forward),
                                       sizeof(cono_explainer), sizeof(cono_plugin),
                                       sizeof(cono_head),      sizeof(cono_calls),
                                       sizeof(cono_scores),    sizeof(cono_forward_gradient)};
const size_t conoscope_test_offsets[] = {offsetof(cono_tensor, data),
                                         offsetof(cono_tensor, strides),
                                         offsetof(cono_param, text),
                                         offsetof(cono_host, set_error),
                                         offsetof(cono_host, log),
                                         offsetof(cono_sink, create),
                                         offsetof(cono_explainer, project),
                                         offsetof(cono_plugin, get_interface),
                                         offsetof(cono_array, tensor),
                                         offsetof(cono_text, value),
                                         offsetof(cono_param, texts),
                                         offsetof(cono_head, vjp),
                                         offsetof(cono_forward_gradient, forward_gradient)};
