/*===- device_arrays.c - arrays of a device that is not there --------------===
 *
 * What   A Python module whose type `Tensor` tells of itself as torch's tensors
 *        do: by the C functions of DLPack's exchange table. Its arrays claim to
 *        lie in the memory of device 0.
 * Why    python_launch.py times what Python pays for a launch, on a machine
 *        that has neither torch nor a GPU.
 *===----------------------------------------------------------------------===*/
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

enum { DeviceType = 2, FloatCode = 2 }; /* of DLPack */

typedef struct {
  void *data;
  int32_t device_type, device_id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Described;

typedef struct {
  uint32_t major, minor;
  const void *previous, *allocate, *from_object, *to_object;
  int (*describe)(void *object, Described *out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void **out);
} ExchangeTable;

typedef struct {
  PyObject_HEAD void *data;
  int64_t shape, stride;
} Tensor;

static int describe(void *object, Described *out) {
  Tensor *self = object;
  out->data = self->data;
  out->device_type = DeviceType;
  out->device_id = 0;
  out->rank = 1;
  out->code = FloatCode;
  out->bits = 32;
  out->lanes = 1;
  out->shape = &self->shape;
  out->strides = &self->stride;
  out->byte_offset = 0;
  return 0;
}

static int current_stream(int32_t device_type, int32_t device_id, void **out) {
  (void)device_type;
  (void)device_id;
  *out = NULL;
  return 0;
}

static const ExchangeTable table = {1,    0,    NULL,     NULL,
                                    NULL, NULL, describe, current_stream};

static int init(PyObject *object, PyObject *args, PyObject *keywords) {
  Tensor *self = (Tensor *)object;
  long long elements;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "L", &elements)) {
    return -1;
  }
  free(self->data);
  self->data = aligned_alloc(256, (size_t)(elements * 4 + 255) / 256 * 256);
  self->shape = elements;
  self->stride = 1;
  return 0;
}

static void finish(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  free(((Tensor *)object)->data);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_init, init}, {Py_tp_dealloc, finish}, {0, NULL}};
static PyType_Spec spec = {"torch.Tensor", sizeof(Tensor), 0,
                           Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "device_arrays",
                                        NULL,
                                        -1,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit_device_arrays(void) {
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = PyType_FromSpec(&spec);
  PyObject *capsule =
      PyCapsule_New((void *)&table, "dlpack_exchange_api", NULL);
  if (!module || !type || !capsule ||
      PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule) ||
      PyModule_AddObject(module, "Tensor", type)) {
    return NULL;
  }
  Py_DECREF(capsule);
  return module;
}
