// SPDX-License-Identifier: Apache-2.0
/* A whole explainer in C11, from abi.h alone: each output's one concept points to the mean activation
 * of its class, from that of all. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conoscope/sdk/abi.h"

#define METADATA                                                              \
  "abi = \"2.0\"\nkind = \"explainer\"\nid = \"in_c\"\nversion = \"1.0.0\"\n" \
  "summary = \"class means, in C\"\nneeds = [\"head_view\"]\n"                \
  "offers = [\"explanation\"]\nseeded = false\n"

static const struct {
  uint32_t name_size, text_size, type;
  char name[12];
  char text[(sizeof(METADATA) + 3) / 4 * 4];
} note __attribute__((section(".note.conoscope"), used, aligned(4))) = {
    sizeof(CONO_NOTE_NAME), sizeof(METADATA), CONO_NOTE_TYPE, CONO_NOTE_NAME, METADATA};

static cono_status refuse(const cono_host* host, cono_status status, const char* why) {
  host->set_error(host->self, why);
  return status;
}

/* The step from one item to the next is the size that the host's items have. */
static const cono_tensor* find_array(const cono_arrays* all, const char* name) {
  const char* at = (const char*)all->arrays;
  for (uint32_t i = 0; i < all->array_count; ++i) {
    const cono_array* array = (const cono_array*)at;
    if (strcmp(array->name, name) == 0) return &array->tensor;
    at += array->struct_size;
  }
  return NULL;
}

static const char* find_text(const cono_arrays* all, const char* key, const char* standard) {
  const char* at = (const char*)all->texts;
  for (uint32_t i = 0; i < all->text_count; ++i) {
    const cono_text* text = (const cono_text*)at;
    if (strcmp(text->key, key) == 0) return text->value;
    at += text->struct_size;
  }
  return standard;
}

static double element(const cono_tensor* t, int64_t i, int64_t j, int64_t k) {
  const int64_t row = t->row_index != NULL ? t->row_index[i] : i;
  const int64_t at = row * t->strides[0] + (t->ndim > 1 ? j * t->strides[1] : 0) +
                     (t->ndim > 2 ? k * t->strides[2] : 0);
  return t->dtype == CONO_F64 ? ((const double*)t->data)[at] : (double)((const float*)t->data)[at];
}

static int is_real(const cono_tensor* t) {
  return t != NULL && (t->dtype == CONO_F64 || t->dtype == CONO_F32);
}

static cono_status create(const cono_params* params, const cono_host* host, void** instance) {
  (void)params, (void)host;
  *instance = NULL; /* it has no state */
  return CONO_OK;
}

static void destroy(void* instance) { (void)instance; }

static cono_status fit(void* instance, const cono_arrays* head, const cono_host* host,
                       const cono_sink* out) {
  (void)instance;
  const cono_tensor* activations = find_array(head, "activations");
  const cono_tensor* weight = find_array(head, "head_weight");
  const cono_tensor* predictions = find_array(head, "predictions");
  if (predictions == NULL || strcmp(find_text(head, "pooling", "none"), "flatten") == 0)
    return refuse(host, CONO_NOT_APPLICABLE, "in_c: for classifiers with pooled activations");
  if (!is_real(activations) || !is_real(weight) || activations->ndim != 3)
    return refuse(host, CONO_NOT_APPLICABLE, "in_c: reads float32 and float64");
  const int64_t samples = activations->shape[0], positions = activations->shape[1];
  const int64_t width = activations->shape[2], outputs = weight->shape[0];

  cono_tensor counts = {.struct_size = sizeof(counts)}, cavs = counts, importance = counts;
  cono_status status = out->text(out->self, "scope", "class_specific");
  if (status == CONO_OK) status = out->create(out->self, "counts", CONO_I64, 1, &outputs, &counts);
  if (status == CONO_OK)
    status = out->create(out->self, "cavs", CONO_F64, 2, (int64_t[]){outputs, width}, &cavs);
  if (status == CONO_OK)
    status = out->create(out->self, "importance", CONO_F64, 1, &outputs, &importance);
  if (status != CONO_OK) return status;

  double* mean = calloc((size_t)width, sizeof(double));
  double* members = calloc((size_t)outputs, sizeof(double));
  if (mean == NULL || members == NULL) status = CONO_OUT_OF_MEMORY;
  double* sums = cavs.data; /* zeroed by the host */
  for (int64_t i = 0; status == CONO_OK && i < samples; ++i) {
    const int64_t at = predictions->row_index != NULL ? predictions->row_index[i] : i;
    const int64_t c = ((const int64_t*)predictions->data)[at * predictions->strides[0]];
    members[c] += 1;
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t d = 0; d < width; ++d) {
        const double value = element(activations, i, p, d);
        if (!isfinite(value)) status = CONO_INVALID_ARGUMENT;
        mean[d] += value / (double)(samples * positions);
        sums[c * width + d] += value / (double)positions;
      }
    if (host->cancelled(host->self)) status = CONO_CANCELLED;
  }
  for (int64_t c = 0; status == CONO_OK && c < outputs; ++c) {
    ((int64_t*)counts.data)[c] = 1;
    double* cav = sums + c * width;
    double squares = 0;
    if (members[c] == 0) continue; /* nothing is predicted as c: its concept stays 0 */
    for (int64_t d = 0; d < width; ++d) {
      cav[d] = cav[d] / members[c] - mean[d];
      squares += cav[d] * cav[d];
    }
    for (int64_t d = 0; squares > 0 && d < width; ++d) {
      cav[d] /= sqrt(squares);
      ((double*)importance.data)[c] += cav[d] * element(weight, c, d, 0);
    }
  }
  free(mean);
  free(members);
  return status == CONO_INVALID_ARGUMENT ? refuse(host, status, "in_c: an activation is not finite")
                                         : status;
}

static const void* get_interface(const char* id) {
  static const cono_explainer table = {
      .struct_size = sizeof(table), .create = create, .destroy = destroy, .fit = fit};
  return strcmp(id, CONO_EXPLAINER_INTERFACE) == 0 ? &table : NULL;
}

__attribute__((visibility("default"))) const cono_plugin* conoscope_plugin_entry(uint32_t major,
                                                                                 uint32_t minor) {
  static const cono_plugin plugin = {.struct_size = sizeof(plugin),
                                     .abi_major = CONO_ABI_MAJOR,
                                     .abi_minor = CONO_ABI_MINOR,
                                     .kind = CONO_EXPLAINER,
                                     .id = "in_c",
                                     .version = "1.0.0",
                                     .get_interface = get_interface};
  (void)major, (void)minor;
  return &plugin;
}
