//===- Code.cpp - compiled code as a Python object ------------------------===//
//
// What   See Code.h.
// Why    See Code.h.
//===----------------------------------------------------------------------===//
#include "compile/Code.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tz::python {

namespace {
struct Code {
  std::shared_ptr<KernelHandle> kernel;
  tz_code_t native;
};
} // namespace

static nb::dict factsOf(const Code &code) {
  tz_code_facts facts{};
  facts.struct_size = sizeof(facts);
  if (!settle(tz_code_describe(code.native, &facts))) {
    throw nb::python_error();
  }
  nb::dict made;
  made["name"] = facts.function;
  made["plugin"] = facts.plugin;
  made["target"] = facts.target;
  made["hash"] = facts.hash;
  made["n_regs"] = facts.registers;
  made["n_spills"] = facts.spill_bytes / 4;
  made["threads"] = facts.threads;
  made["variants"] = facts.variants;
  made["shared"] = facts.shared_bytes;
  made["cluster_dims"] =
      nb::make_tuple(facts.cluster[0], facts.cluster[1], facts.cluster[2]);
  made["has_log"] = facts.has_log != 0;
  return made;
}

static nb::bytes stage(const Code &code, const char *name) {
  const char *bytes = nullptr;
  size_t size = 0;
  tz_status_t status;
  Diagnostics diagnostics;
  {
    nb::gil_scoped_release release;
    status = tz_code_stage(code.native, name, &bytes, &size);
  }
  if (!settle(status, diagnostics)) {
    throw nb::python_error();
  }
  return nb::bytes(bytes, size);
}

void addCodeType(PyObject *module) {
  nb::class_<Code>(nb::borrow<nb::module_>(module), "Code",
                   "Compiled code; see terrazzo.compiled.")
      .def("describe", factsOf, "Its facts, as a dictionary.")
      .def("stage", stage, nb::arg("name"),
           "IR, text or machine code of a stage; see tz_code_stage.")
      .def_prop_ro("address", [](const Code &code) {
        return reinterpret_cast<uintptr_t>(code.native);
      });
}

PyObject *makeCompiledKernel(std::shared_ptr<KernelHandle> kernel,
                             tz_code_t code, PyObject *specialization) {
  Reference make(packageAttribute("terrazzo.compiler.compiled_kernel", "make"));
  if (!make) {
    return nullptr;
  }
  try {
    nb::object object = nb::cast(Code{std::move(kernel), code});
    return PyObject_CallFunctionObjArgs(make.get(), object.ptr(),
                                        specialization, nullptr);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

} // namespace tz::python
