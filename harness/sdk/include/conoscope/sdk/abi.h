// SPDX-License-Identifier: Apache-2.0
/* The plugin border of conoscope, in C11. Everything that crosses it is declared here.
 *
 * A plugin is a shared library that exports one function, conoscope_plugin_entry(), and carries its
 * metadata in an ELF note (see CONO_NOTE_NAME). C++ authors use the wrappers beside this file
 * (explainer.h, dataset.h, model.h, metric.h) and never see this one.
 *
 * Rules
 *  - Plain data only: no exception, no C++ object, no ownership crosses. No function throws.
 *  - The first member of every struct is its size; fields are only ever appended. Whoever reads a
 *    struct reads no further than struct_size. In a list of structs, that size is also the step
 *    from one to the next.
 *  - Compatible: equal CONO_ABI_MAJOR, and the plugin's minor <= the host's.
 *  - A new ability gets a new interface id for get_interface(), never a new slot in an old table.
 *  - Arrays are known by name ("the views" below says which names make up which view). A name that
 *    a plugin does not know is to be ignored: that is how views grow.
 *  - The host allocates all outputs. Pointers that the host passes are valid until the call returns,
 *    except those of cono_sink.create, which are valid until the outermost call returns.
 *  - A plugin is loaded in a process of its own and never unloaded. It must not read a clock or a
 *    global generator for randomness, and makes at most cono_host.threads threads.
 *
 * Threads: [worker-thread] is the one thread that called the plugin; [any-thread] may be any thread
 * that the plugin started.
 */
#ifndef CONOSCOPE_SDK_ABI_H
#define CONOSCOPE_SDK_ABI_H

#include <stdint.h>

#define CONO_ABI_MAJOR 2
#define CONO_ABI_MINOR 0

#define CONO_NOTE_NAME "conoscope" /* owner of the ELF note; its section: .note.conoscope */
#define CONO_NOTE_TYPE 1           /* descriptor: the metadata, TOML in UTF-8 */

#define CONO_MAX_DIMENSIONS 6

#ifdef __cplusplus
extern "C" {
#endif

enum cono_status_code {
  CONO_OK = 0,
  CONO_INVALID_ARGUMENT = 1, /* the caller broke the contract */
  CONO_UNDEFINED = 2,        /* the contract was kept, the result does not exist */
  CONO_NOT_APPLICABLE = 3,   /* this plugin does not work on such input, by design: no fault */
  CONO_CANCELLED = 4,        /* cono_host.cancelled() said so */
  CONO_OUT_OF_MEMORY = 5,
  CONO_INTERNAL = 6
};
typedef int32_t cono_status; /* one of cono_status_code */

enum cono_dtype {
  CONO_F32 = 1,
  CONO_F64 = 2,
  CONO_I32 = 3,
  CONO_I64 = 4,
  CONO_U8 = 5,
  CONO_F16 = 6 /* IEEE 754 binary16 */
};

enum cono_kind { CONO_DATASET = 1, CONO_MODEL = 2, CONO_EXPLAINER = 3, CONO_METRIC = 4 };

/* An n-dimensional array. Inputs must not be written to.
 *
 * Element (i, j, ...) is data[row * strides[0] + j * strides[1] + ...] with row = i, or where
 * row_index is set row = row_index[i]: rows of a larger array that are not next to each other. Only
 * activations and inputs, in what explainers and metrics are given, come with a row_index. */
typedef struct cono_tensor {
  uint32_t struct_size;
  int32_t dtype; /* cono_dtype */
  int32_t ndim;  /* 1 ... CONO_MAX_DIMENSIONS */
  int32_t reserved;
  void* data;
  int64_t shape[CONO_MAX_DIMENSIONS];
  int64_t strides[CONO_MAX_DIMENSIONS]; /* in elements, not bytes */
  const int64_t* row_index;             /* shape[0] entries, or NULL */
} cono_tensor;

typedef struct cono_array {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  cono_tensor tensor;
} cono_array;

typedef struct cono_text {
  uint32_t struct_size;
  uint32_t reserved;
  const char* key;
  const char* value;
} cono_text;

/* What a dataset, a model or an explanation holds: arrays and texts by name. */
typedef struct cono_arrays {
  uint32_t struct_size;
  uint32_t array_count;
  uint32_t text_count;
  uint32_t reserved;
  const cono_array* arrays;
  const cono_text* texts;
} cono_arrays;

enum cono_param_type {
  CONO_PARAM_INTEGER = 1,
  CONO_PARAM_REAL = 2,
  CONO_PARAM_BOOLEAN = 3, /* in cono_param.integer: 0 or 1 */
  CONO_PARAM_TEXT = 4,
  CONO_PARAM_FILE = 5, /* in cono_param.text: an absolute path (type file or folder), or "" */
  CONO_PARAM_INTEGERS = 6,
  CONO_PARAM_REALS = 7,
  CONO_PARAM_TEXTS = 8
};

typedef struct cono_param {
  uint32_t struct_size;
  int32_t type; /* cono_param_type: says which of the members below holds the value */
  const char* name;
  int64_t integer;
  double real;
  const char* text;
  int64_t count; /* of the list */
  const int64_t* integers;
  const double* reals;
  const char* const* texts;
} cono_param;

/* Every parameter of the metadata, in the metadata's order, checked and with defaults filled in. */
typedef struct cono_params {
  uint32_t struct_size;
  uint32_t count;
  const cono_param* items;
} cono_params;

/* The host, as a plugin sees it during one call. */
typedef struct cono_host {
  uint32_t struct_size;
  uint32_t threads;    /* how many threads the plugin may use, >= 1 */
  uint64_t seed;       /* the only source of randomness */
  const char* scratch; /* a folder of the plugin's own; emptied afterwards */
  void* self;
  /* The text that goes with a status other than CONO_OK. [any-thread] */
  void (*set_error)(void* self, const char* text);
  /* done in [0, 1]. [any-thread] */
  void (*progress)(void* self, double done);
  /* Nonzero: stop soon and return CONO_CANCELLED. Cheap; ask once per outer iteration.
   * [any-thread] */
  int32_t (*cancelled)(void* self);
  /* A line for the attempt's log. [any-thread] */
  void (*log)(void* self, const char* text);
} cono_host;

/* Where a plugin puts its results. */
typedef struct cono_sink {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  /* Makes a zeroed, contiguous, row-major array for the plugin to fill. A name may be used once.
   * [worker-thread] */
  cono_status (*create)(void* self, const char* name, int32_t dtype, int32_t ndim,
                        const int64_t* shape, cono_tensor* out);
  /* A key may be used once. [worker-thread] */
  cono_status (*text)(void* self, const char* key, const char* value);
} cono_sink;

/* ---- the views: which names hold what; rows are samples -------------------------------------
 *
 * dataset        inputs n x ... (images: n x height x width x channels, any real dtype)
 *                labels n (I64, classes 0 ... C-1), or targets n x C (attributes 0/1, regression)
 *                concepts n x k, concept_groups k (I64, equal: together), factors n x F, optional
 *                segment_embeddings m x D, segment_sample m (I64, the row it is cut from), optional
 *                truth_directions N x D, unit rows, truth_activations t x N of the rows of test_index,
 *                truth_bias D, truth_parent N (I64, -1: none): what activations are made of, optional
 *                train_index, test_index (I64): the split; optional: a head view's arrays, see there
 *                texts: task = classification | attributes | regression
 * head view      activations n x P x D (P positions before pooling, or n x D), all samples of the
 *                dataset; head_weight C x D (pooling flatten: C x P*D); head_bias C; of a layer below
 *                the last logits n x C: the head is then how the rest reads the layer in the mean
 *                texts: pooling = mean | none | flatten, output = softmax | sigmoid | regression
 * concept view   concept_scores n x k x w (w = 1: scalar concepts), concept_probabilities n x k;
 *                where there is a task, outputs n x C: task_outputs, edits through CONO_INTERVENE (_TOLD),
 *                reference_outputs, of such a head trained alone on the true concepts, optional;
 *                concept_active, concept_inactive n x k x w, optional: what an intervention writes
 * latent view    codes n x m; of a posterior, optional: codes are its means, codes_log_variance
 *                n x m, and reconstruction_loss n: -log p(x|z) in nats, for one z drawn from it
 * explanation    cavs M x D; texts: scope = class_specific | class_agnostic
 *                class-specific: importance M, counts C (I64, sum M; output c owns the rows after
 *                those of outputs 0 ... c-1); class-agnostic: importance C x M
 *                constant_concepts M (I64), optional: 1 where a score is the same for all rows, as of
 *                a decoder's bias; no concept that could be found
 *                Without a project slot psi(h) is linear: <h, cav>.
 * What an explainer is given: the head view with the rows of the training split only, and
 *                logits n x C, predictions n (I64, the model's own argmax; softmax only),
 *                inputs, annotations and segments of the same rows when there are any; what is known of
 *                the features only where the explainer needs "truth"; text twin, of an explainer that
 *                offers "dictionary": the name of the control as which it is to train, from the same
 *                start, on the same rows, for as many steps.
 * What a metric is given: the rows of the test split of every view that the subject offers.
 * Other names (weights, dictionaries) are the plugin's own state; it gets them back in later calls.
 */

/* ---- interfaces: what get_interface(id) returns ----------------------------------------------
 * create() checks the parameters and makes an instance; error text goes to host->set_error. */

#define CONO_DATASET_INTERFACE "conoscope.dataset/1"
typedef struct cono_dataset {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*create)(const cono_params* params, const cono_host* host, void** instance);
  /* [worker-thread] */
  void (*destroy)(void* instance);
  /* Loads or generates, and splits by host->seed. [worker-thread] */
  cono_status (*load)(void* instance, const cono_host* host, const cono_sink* out);
} cono_dataset;

#define CONO_MODEL_INTERFACE "conoscope.model/1"
typedef struct cono_model {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*create)(const cono_params* params, const cono_host* host, void** instance);
  /* [worker-thread] */
  void (*destroy)(void* instance);
  /* Trains or loads, then writes the views that the metadata offers. [worker-thread] */
  cono_status (*fit)(void* instance, const cono_arrays* dataset, const cono_host* host,
                     const cono_sink* out);
} cono_model;

/* Optional for a model with a head view: inputs (m x ...) -> activations (m x P x D). */
#define CONO_FORWARD_INTERFACE "conoscope.model.forward/1"
typedef struct cono_forward {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*forward)(void* instance, const cono_arrays* model, const cono_tensor* inputs,
                         const cono_host* host, cono_tensor* activations);
} cono_forward;

/* Optional for a model with CONO_FORWARD_INTERFACE: the vector-Jacobian product of that call. */
#define CONO_FORWARD_GRADIENT_INTERFACE "conoscope.model.forward_gradient/1"
typedef struct cono_forward_gradient {
  uint32_t struct_size;
  uint32_t reserved;
  /* inputs (m x ...), cotangents (m x P x D) -> gradients of the inputs' shape,
   * g_iq = sum_pd u_ipd d activation_ipd / d input_iq. [worker-thread] */
  cono_status (*forward_gradient)(void* instance, const cono_arrays* model,
                                  const cono_tensor* inputs, const cono_tensor* cotangents,
                                  const cono_host* host, cono_tensor* gradients);
} cono_forward_gradient;

/* Optional for a model with a concept view: edited concepts (m x k x w) -> task outputs (m x C). */
#define CONO_INTERVENE_INTERFACE "conoscope.model.intervene/1"
typedef struct cono_intervene {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*intervene)(void* instance, const cono_arrays* model, const cono_tensor* concepts,
                           const cono_host* host, cono_tensor* outputs);
} cono_intervene;

/* Optional in its place: told is m x k, 1 where the concept of a row was told and 0 where its score is
 * the model's own, so that a model may update those by what it was told. */
#define CONO_INTERVENE_TOLD_INTERFACE "conoscope.model.intervene_told/1"
typedef struct cono_intervene_told {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*intervene)(void* instance, const cono_arrays* model, const cono_tensor* concepts,
                           const cono_tensor* told, const cono_host* host, cono_tensor* outputs);
} cono_intervene_told;

/* Optional for a model with a head view: what lies above the layer whose activations the view holds.
 */
#define CONO_HEAD_INTERFACE "conoscope.model.head/1"
typedef struct cono_head {
  uint32_t struct_size;
  uint32_t reserved;
  /* activations (m x P x D) -> outputs (m x C) before softmax or sigmoid. [worker-thread] */
  cono_status (*head)(void* instance, const cono_arrays* model, const cono_tensor* activations,
                      const cono_host* host, cono_tensor* outputs);
  /* The vector-Jacobian product there: cotangents (m x C) -> gradients (m x P x D),
   * g_ipd = sum_c u_ic d output_ic / d activation_ipd. NULL: not offered. [worker-thread] */
  cono_status (*vjp)(void* instance, const cono_arrays* model, const cono_tensor* activations,
                     const cono_tensor* cotangents, const cono_host* host, cono_tensor* gradients);
} cono_head;

/* Optional beside it: a cono_head of another network, the same up to the layer, in which every weight
 * above the layer was drawn anew from the host's seed. The same seed gives the same network. */
#define CONO_REDRAWN_HEAD_INTERFACE "conoscope.model.redrawn_head/1"

/* Optional for a model with a latent view: codes (m x L) -> what the decoder makes of them, as inputs
 * (m x ...). */
#define CONO_DECODE_INTERFACE "conoscope.model.decode/1"
typedef struct cono_decode {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*decode)(void* instance, const cono_arrays* model, const cono_tensor* codes,
                        const cono_host* host, cono_tensor* inputs);
} cono_decode;

#define CONO_EXPLAINER_INTERFACE "conoscope.explainer/1"
typedef struct cono_explainer {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*create)(const cono_params* params, const cono_host* host, void** instance);
  /* [worker-thread] */
  void (*destroy)(void* instance);
  /* Finds CAVs and importances on the training split. [worker-thread] */
  cono_status (*fit)(void* instance, const cono_arrays* head, const cono_host* host,
                     const cono_sink* out);
  /* psi: rows (m x D) -> scores (m x K_c) of output c. A function of its arguments alone.
   * NULL: linear. [worker-thread] */
  cono_status (*project)(void* instance, const cono_arrays* explanation, int64_t output,
                         const cono_tensor* rows, const cono_host* host, cono_tensor* scores);
  /* The inverse: scores (m x K_c) -> rows (m x D). NULL: none offered. [worker-thread] */
  cono_status (*reconstruct)(void* instance, const cono_arrays* explanation, int64_t output,
                             const cono_tensor* scores, const cono_host* host, cono_tensor* rows);
} cono_explainer;

/* The model, as an explainer may call it during one fit. */
typedef struct cono_model_call {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  /* inputs (m x ..., any real dtype, as the dataset's inputs but for m) -> activations (m x P x D,
   * F64, contiguous, the caller's). Not CONO_OK: the host knows why. NULL: the explainer does not
   * need it, or the model does not offer it. [worker-thread] */
  cono_status (*forward)(void* self, const cono_tensor* inputs, cono_tensor* activations);
  /* As cono_head.head and .vjp: activations (m x P x D, any real dtype) -> outputs (m x C), and with
   * cotangents (m x C) -> gradients (m x P x D); both F64, contiguous, the caller's. NULL as above;
   * vjp also where the model has no derivative. [worker-thread] */
  cono_status (*head)(void* self, const cono_tensor* activations, cono_tensor* outputs);
  cono_status (*vjp)(void* self, const cono_tensor* activations, const cono_tensor* cotangents,
                     cono_tensor* gradients);
} cono_model_call;

/* Optional for an explainer that runs inputs or activations of its own making through the model; its
 * metadata say needs = ["forward"] or ["head"]. Where the model offers what they need, the host calls
 * this fit and not the other. */
#define CONO_EXPLAINER_MODEL_INTERFACE "conoscope.explainer.model/1"
typedef struct cono_explainer_model {
  uint32_t struct_size;
  uint32_t reserved;
  /* As cono_explainer.fit, on an instance that cono_explainer.create made. [worker-thread] */
  cono_status (*fit)(void* instance, const cono_arrays* head, const cono_model_call* model,
                     const cono_host* host, const cono_sink* out);
} cono_explainer_model;

/* What a metric may ask of the subject; a NULL slot: the subject does not offer it. */
typedef struct cono_calls {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  /* As cono_explainer.project. [worker-thread] */
  cono_status (*project)(void* self, int64_t output, const cono_tensor* rows, cono_tensor* scores);
  /* As cono_explainer.reconstruct. [worker-thread] */
  cono_status (*reconstruct)(void* self, int64_t output, const cono_tensor* scores,
                             cono_tensor* rows);
  /* As cono_intervene.intervene, every concept told. [worker-thread] */
  cono_status (*intervene)(void* self, const cono_tensor* concepts, cono_tensor* outputs);
} cono_calls;

typedef struct cono_scores {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  /* reason NULL: value is the score, and must be finite. Otherwise why there is none: undefined or
   * not_applicable. message: the reason in words, or a caveat of the value, or NULL. parts: per-
   * sample, per-concept or per-pair values, or NULL. A name may be used once. [worker-thread] */
  cono_status (*score)(void* self, const char* name, double value, const char* reason,
                       const char* message, const double* parts, int64_t part_count);
} cono_scores;

#define CONO_METRIC_INTERFACE "conoscope.metric/1"
typedef struct cono_metric {
  uint32_t struct_size;
  uint32_t reserved;
  /* [worker-thread] */
  cono_status (*create)(const cono_params* params, const cono_host* host, void** instance);
  /* [worker-thread] */
  void (*destroy)(void* instance);
  /* [worker-thread] */
  cono_status (*score)(void* instance, const cono_arrays* subject, const cono_calls* calls,
                       const cono_host* host, const cono_scores* out);
} cono_metric;

/* ---- the one exported symbol ---------------------------------------------------------------- */

typedef struct cono_plugin {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  int32_t kind; /* cono_kind */
  const char* id;
  const char* version;
  /* NULL: not supported. [worker-thread] */
  const void* (*get_interface)(const char* interface_id);
} cono_plugin;

#define CONO_ENTRY_SYMBOL "conoscope_plugin_entry"
/* The plugin's table; valid for the life of the process. The host's version is for plugins that can
 * serve more than one. */
typedef const cono_plugin* (*cono_plugin_entry_fn)(uint32_t host_major, uint32_t host_minor);

#ifdef __cplusplus
}
#endif

#endif /* CONOSCOPE_SDK_ABI_H */
